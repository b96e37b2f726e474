// Advice in the words of the framework that the recorded program uses.
#pragma once

#include "core/insight/findings/finding.h"
#include "core/trace/trace.h"

namespace lanescope {

// Whether the program uses PyTorch: by names of its operators or kernels.
bool uses_torch(const Trace& trace);

// Replaces advice that names functions of PyTorch by general advice.
void advise_without_torch(Finding& finding);

}  // namespace lanescope
