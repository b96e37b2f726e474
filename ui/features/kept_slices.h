// Finds lanes and slices again in another join of the same traces.
#pragma once

#include <optional>

#include "core/trace/slice.h"
#include "core/trace/trace.h"

namespace lanescope {

// Lanes are found by the part that they belong to; none: the part is gone.
std::optional<LaneId> lane_in_join(const Trace& before, const Trace& after, LaneId lane);
// Empty if the slice no longer exists, or if `slice` is empty.
SliceRef slice_in_join(const Trace& before, const Trace& after, SliceRef slice);

}  // namespace lanescope
