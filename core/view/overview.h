// The overview: how busy CPU and GPU were, over the whole trace, in a few hundred columns.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/nanos.h"
#include "core/view/view_index.h"

namespace lanescope {

struct Overview {
    TimeRange range;  // of the whole strip
    // By column, 0 to 1: the fraction of the busiest thread's time with an operator or call. If
    // `counts_threads`: the square root of the number of busy threads, divided by the largest
    // number in any column.
    std::vector<float> cpu;
    std::vector<float> gpu;  // by column, 0 to 1: activities, averaged over devices
    bool has_gpu = false;
    // The trace has no GPU, and at nearly every time some thread is busy: only the number of busy
    // threads distinguishes one time from another.
    bool counts_threads = false;
};

// `columns` at least 1. Operators, calls and collectives count as CPU time; in generic traces,
// which have none of these, any slice does.
Overview build_overview(const ViewIndex& index, TimeRange range, uint32_t columns);

}  // namespace lanescope
