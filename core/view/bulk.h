// Where a first look at a trace should begin.
#pragma once

#include "core/trace/trace.h"

namespace lanescope {

// Where nearly all slices lie (all but one in a hundred, at either end), if that would be no more
// than a few pixels in a view of everything, as after a jump of the clock or beside what was
// recorded long before; else the trace's content. Looks at 50 thousand slices at most.
TimeRange bulk_of(const Trace& trace);

}  // namespace lanescope
