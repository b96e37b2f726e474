// Independent computations of one trace, run on several threads.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>

#include "core/base/parallel.h"
#include "core/trace/trace.h"

namespace lanescope {

// The threads worth using for computations over the whole trace: one if the trace is small, because
// waking others would take longer.
unsigned threads_for(const Trace& trace);

// Runs all parts, the first ones first, and returns when all are done.
void run_together(const Trace& trace, std::initializer_list<std::function<void()>> parts);

}  // namespace lanescope
