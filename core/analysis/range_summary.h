// What a stretch of time holds, over some lanes or all: by name, by lane, and how busy its GPUs
// are.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/analysis/context.h"

namespace lanescope {

struct RangeQuery {
    TimeRange time;
    std::vector<LaneId> lanes;  // ascending; empty: all
    friend bool operator==(const RangeQuery&, const RangeQuery&) = default;
};

// Slices that begin in the range, whole.
struct NameInRange {
    StringId name = 0;
    CategoryId category = 0;
    uint64_t count = 0;
    Nanos total = 0;
    Nanos self = 0;  // less what their direct children take inside them
    Nanos max = 0;
    SliceRef longest;

    double mean() const { return static_cast<double>(total) / static_cast<double>(count); }
};

struct LaneInRange {
    LaneId lane = 0;
    uint64_t count = 0;  // slices that begin in the range
    Nanos busy = 0;      // as busy_time() counts it, cut to the range
    SliceRef longest;
};

// A device in the range: its marked streams, or, where no stream is marked, all of them.
struct GpuInRange {
    uint32_t process = 0;  // row of Trace::processes
    int32_t device = -1;   // -1: not recorded
    Nanos busy = 0;        // at least one activity runs
    Nanos idle = 0;        // the rest of the range
};

struct RangeSummary {
    RangeQuery query;
    uint64_t slices = 0;              // that begin in the range
    std::vector<NameInRange> names;   // by name and category; the largest total first
    std::vector<LaneInRange> lanes;   // those asked for that hold anything in the range
    std::vector<GpuInRange> devices;  // by (process, device)
};

// Linear in the slices of the lanes: not for a frame.
RangeSummary summarise_range(const TraceContext& context, const RangeQuery& query);

// Those of every lane of the file that begin in the range, or anywhere; the largest total first.
// What was made of samples is left out: nobody saw it begin or end.
std::vector<NameInRange> slices_by_name(const Trace& trace, std::optional<TimeRange> range);

// How many slices of the lanes touch the range.
uint64_t count_slices(const Trace& trace, const RangeQuery& query);

}  // namespace lanescope
