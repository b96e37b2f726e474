// Steps from one slice to another: along its lane, and along flows.
#pragma once

#include <vector>

#include "core/trace/trace.h"

namespace lanescope {

// The slice of the lane that begins next (or began before) in reading order: by start, outer ones
// first.
SliceRef next_in_lane(const Trace& trace, SliceRef slice);
SliceRef previous_in_lane(const Trace& trace, SliceRef slice);

// What the slice leads to, and what led to it, by the first link; none where there is none.
SliceRef flow_target(const Trace& trace, SliceRef slice);
SliceRef flow_source(const Trace& trace, SliceRef slice);

// Where a slice comes from, outermost first: its parents; for a device activity the call that
// launched it and that call's parents. The slice itself is not in it.
std::vector<SliceRef> origin_chain(const Trace& trace, SliceRef slice);

// The slice with all that it comes from and the GPU work that it or a call below it launched.
// Empty where no GPU work belongs to it, or where more than some hundred calls lie below.
std::vector<SliceRef> chain_of(const Trace& trace, SliceRef slice);

}  // namespace lanescope
