// Where the first view of a trace should be.
#pragma once

#include "core/trace/trace.h"

namespace lanescope {

// The range of nearly all slices (without one in a hundred at either end) if it would be only a few
// pixels wide in a view of everything, for example after a jump of the clock; otherwise the trace's
// content. Samples at most 50 thousand slices.
TimeRange bulk_of(const Trace& trace);

}  // namespace lanescope
