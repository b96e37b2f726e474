// Summarises a range of time over some or all lanes: by name, by lane, and how busy the GPUs are.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/analysis/context.h"
#include "core/table/query.h"

namespace lanescope {

struct RangeQuery {
    TimeRange time;
    std::vector<LaneId> lanes;  // ascending; empty: all
    friend bool operator==(const RangeQuery&, const RangeQuery&) = default;
};

// Slices that begin in the range, with their full durations.
struct NameInRange {
    StringId name = 0;
    CategoryId category = 0;
    uint64_t count = 0;
    Nanos total = 0;
    Nanos self = 0;  // without the parts of direct children inside them
    Nanos max = 0;
    SliceRef longest;

    double mean() const { return static_cast<double>(total) / static_cast<double>(count); }
};

struct LaneInRange {
    LaneId lane = 0;
    uint64_t count = 0;  // slices that begin in the range
    Nanos busy = 0;      // see busy_time(); clipped to the range
    SliceRef longest;
};

// A device in the range: its selected streams or, if none is selected, all of them.
struct GpuInRange {
    uint32_t process = 0;  // row of Trace::processes
    int32_t device = -1;   // -1: not recorded
    Nanos busy = 0;        // at least one activity runs
    Nanos idle = 0;        // the rest of the range
};

struct RangeSummary {
    RangeQuery query;
    uint64_t slices = 0;              // that begin in the range
    std::vector<NameInRange> names;   // by name and category; largest total first
    std::vector<LaneInRange> lanes;   // the requested lanes that are not empty in the range
    std::vector<GpuInRange> devices;  // by (process, device)
};

// Linear in the slices of the lanes: too slow for a frame.
RangeSummary summarise_range(const TraceContext& context, const RangeQuery& query);

// Sums over all lanes of the file: slices that begin in the range, or all of them; largest total
// first. For a range of steps, slices of GPUs that begin in the steps' time there. Leaves out
// slices made from samples, whose begin and end nobody observed.
std::vector<NameInRange> slices_by_name(const Trace& trace, const TableQuery& query);

// RangeSummary::slices alone: the slices of the lanes that begin in the range. So each slice counts
// in exactly one of several ranges that follow each other.
uint64_t count_slices(const Trace& trace, const RangeQuery& query);

}  // namespace lanescope
