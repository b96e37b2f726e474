// The overview: how busy CPU and GPU were, over the whole trace, in a few hundred columns.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/nanos.h"
#include "core/view/view_index.h"

namespace lanescope {

struct Overview {
    TimeRange range;  // of the whole strip
    std::vector<float>
        cpu;  // by column, 0 to 1: the busiest thread's part of the time with an operator or call
    std::vector<float> gpu;  // by column, 0 to 1: activities, the mean over devices
    bool has_gpu = false;
};

// `columns` at least 1. CPU time counts where an operator, call or collective runs; of traces that
// have none of these (generic ones), where any slice runs.
Overview build_overview(const ViewIndex& index, TimeRange range, uint32_t columns);

}  // namespace lanescope
