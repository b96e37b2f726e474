// Calls of operators that take much longer the first time: they load code and choose algorithms.
#pragma once

#include "core/insight/findings/slow_calls.h"

namespace lanescope {

// A first call is an operator that launches a kernel of some name for the first time in the trace.
// It counts by the time beyond the median of the operators of its name, if that is at least
// `min_excess` and four medians; an operator with fewer than three calls counts if CUDA's lazy
// loading is recorded in it. Times in which the profiler itself works do not count.
struct FirstCalls {
    SlowCalls calls;
    bool loads_code = false;  // lazy loading is recorded in most of their time
};
FirstCalls first_calls(const RuleInput& input, const DeviceWindow& device, Nanos min_excess);

}  // namespace lanescope
