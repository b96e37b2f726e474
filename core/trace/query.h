// Queries on slices by binary search: the slice at a time, its parent, children and neighbours.
#pragma once

#include <optional>
#include <span>

#include "core/trace/trace.h"

namespace lanescope {

// The slice of `depth` in the lane that covers `t`, or none.
SliceRef slice_at(const Trace& trace, LaneId lane, uint32_t depth, Nanos t);
uint32_t depth_of(const Trace& trace, SliceRef slice);
SliceRef parent_of(const Trace& trace, SliceRef slice);
SliceRef first_child_of(const Trace& trace, SliceRef slice);
// The next or previous slice of the same depth.
SliceRef next_in_row(const Trace& trace, SliceRef slice);
SliceRef previous_in_row(const Trace& trace, SliceRef slice);
// The duration minus the part of it that direct children cover.
Nanos self_time(const Trace& trace, SliceRef slice);

std::span<const Link> links_from(const Trace& trace, SliceRef slice);
// Indices into Trace::links of the links that end at the slice.
std::span<const uint32_t> links_to(const Trace& trace, SliceRef slice);

}  // namespace lanescope
