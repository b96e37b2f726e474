// Steps from slice to slice: along a lane, and along flows.
#pragma once

#include <vector>

#include "core/trace/trace.h"

namespace lanescope {

// The next slice of the lane (or the previous) in reading order: by start, outer ones first.
SliceRef next_in_lane(const Trace& trace, SliceRef slice);
SliceRef previous_in_lane(const Trace& trace, SliceRef slice);

// The slice at the other end of the first link from, or to, this slice; empty if there is none.
SliceRef flow_target(const Trace& trace, SliceRef slice);
SliceRef flow_source(const Trace& trace, SliceRef slice);

// Where a slice comes from, outermost first: its parents; for a device activity the launching call
// and that call's parents. Without the slice itself.
std::vector<SliceRef> origin_chain(const Trace& trace, SliceRef slice);

// The slice with its origin chain, and the GPU work launched by it or its descendants. Empty if no
// GPU work belongs to it, or if it has more than some hundred descendants.
std::vector<SliceRef> chain_of(const Trace& trace, SliceRef slice);

}  // namespace lanescope
