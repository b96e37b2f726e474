// First calls of operators that take much longer than later calls, because they load code and
// choose algorithms.
#pragma once

#include "core/insight/findings/slow_calls.h"

namespace lanescope {

// A first call is an operator that launches a kernel of some name for the first time in the trace.
// Its cost is the time beyond the median of operators with the same name, if that is at least
// `min_excess` and four medians. An operator with fewer than three calls counts if it contains CUDA
// lazy loading. Times in which the profiler itself works are excluded.
struct FirstCalls {
    SlowCalls calls;
    bool loads_code = false;  // most of the time is recorded lazy loading
};
FirstCalls first_calls(const RuleInput& input, const DeviceWindow& device, Nanos min_excess);

}  // namespace lanescope
