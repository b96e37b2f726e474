// The batch of a step, where shapes tell it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/analysis/context.h"

namespace lanescope {

// The first dimension of what convolutions take, in whose layout it is always the batch. Nothing
// where the file has no shapes or the steps no convolution, where that dimension is not the same
// for all of them, or where no convolution runs just once a step: several batches may be in one.
// `steps`: rows of Steps::all.
std::optional<int64_t> batch_size(const TraceContext& context, std::span<const uint32_t> steps);

}  // namespace lanescope
