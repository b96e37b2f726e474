// Adaptive launches: kernels whose grid was planned by asking the driver how many blocks fit.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/context.h"

namespace lanescope {

// By row of Trace::gpu_activities, 1: between the launch before and its own, under the same
// caller, stands a call to cudaOccupancyMaxActiveBlocks… (or the driver's, or HIP's). Copies and
// sets launch no kernel: they may stand in between. Kernels of a graph were planned when it was
// captured, so what stands before its launch is not for them.
std::vector<uint8_t> planned_by_query(const TraceContext& context);

}  // namespace lanescope
