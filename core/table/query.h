// TableQuery: the range of time, or of steps, that a table is computed for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/nanos.h"

namespace lanescope {

// The GPU work of a range of steps, wherever and whenever it ran.
struct WorkOfSteps {
    std::vector<bool> rows;  // by row of Trace::gpu_activities
    TimeRange time;          // to which the steps' figures of GPUs refer
};

struct TableQuery {
    // Only what begins in it counts; unions of time are clipped to it. Absolute times. Of a range
    // of steps: their time on the host.
    std::optional<TimeRange> range;
    // Of a range of steps: what GPUs did for them. Null: GPU work counts like everything else.
    std::shared_ptr<const WorkOfSteps> work = nullptr;

    // Whether something on the host counts that begins at this time.
    bool has(Nanos begin) const { return !range || range->contains(begin); }
    // Whether an activity counts, a row of Trace::gpu_activities.
    bool has_work(uint32_t row, Nanos begin) const { return work ? work->rows[row] : has(begin); }
    // What a picture of the range shows: on the host and on GPUs.
    std::optional<TimeRange> shown_range() const {
        if (!work) return range;
        return TimeRange{std::min(range->begin, work->time.begin),
                         std::max(range->end, work->time.end)};
    }
    // The range to which times of GPUs are clipped.
    std::optional<TimeRange> device_range() const {
        return work ? std::optional(work->time) : range;
    }

    friend bool operator==(const TableQuery&, const TableQuery&) = default;
};

}  // namespace lanescope
