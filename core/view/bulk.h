// Chooses the range of a trace's first view.
#pragma once

#include "core/trace/trace.h"

namespace lanescope {

// The range of all slices except the first and the last percent, if that range would be only a few
// pixels wide in a view of everything, for example after a jump of the clock; otherwise the trace's
// content. Samples at most 50 thousand slices.
TimeRange bulk_of(const Trace& trace);

}  // namespace lanescope
