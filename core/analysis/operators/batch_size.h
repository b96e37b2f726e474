// The batch size of a step, if shapes determine it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/analysis/context.h"

namespace lanescope {

// Returns the first dimension of convolutions' inputs, which is always the batch. Empty if the file
// has no shapes, if the steps have no convolution, if convolutions differ in that dimension, or if
// no convolution runs exactly once a step (several batches may then be in one step). `steps`: rows
// of Steps::all.
std::optional<int64_t> batch_size(const TraceContext& context, std::span<const uint32_t> steps);

}  // namespace lanescope
