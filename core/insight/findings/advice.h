// Advice that fits the framework of the recorded program.
#pragma once

#include "core/insight/findings/finding.h"
#include "core/trace/trace.h"

namespace lanescope {

// Whether the program uses PyTorch, judged by the names of its operators and kernels.
bool uses_torch(const Trace& trace);

// Replaces advice that names PyTorch functions by general advice.
void advise_without_torch(Finding& finding);

}  // namespace lanescope
