// Adaptive launches: kernels whose grid was chosen after asking the driver how many blocks fit.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/context.h"

namespace lanescope {

// By row of Trace::gpu_activities, 1: between the previous launch and this one, the same caller
// called cudaOccupancyMaxActiveBlocks… (or the driver's or HIP's equivalent). Copies and sets are
// not kernel launches and may be in between. Kernels of a graph were chosen at capture, so a query
// before the graph's launch does not concern them.
std::vector<uint8_t> planned_by_query(const TraceContext& context);

struct PlannedByQuery {
    std::vector<uint8_t> by_row;

    static PlannedByQuery compute(const TraceContext& context);
};

}  // namespace lanescope
