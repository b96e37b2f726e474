// Lost time over the whole trace, in a few thousand columns, for the overview.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/analysis/context.h"

namespace lanescope {

// By column of the range, 0 to 1: the fraction of the devices' time that kernels, copies and sets
// spent beyond their floors, distributed evenly over each duration. Empty if no floor is known.
// Computes the models: too slow for a frame.
std::vector<float> lost_time(std::span<const std::shared_ptr<const TraceContext>> parts,
                             TimeRange range, uint32_t columns);

}  // namespace lanescope
