// Finds which kernels of a compiled run the operators of an eager run became. Part of
// compare_compiled_code().
#pragma once

#include <vector>

#include "core/insight/compare/compiled_changes.h"

namespace lanescope {

// Sorted by the operators' time in `eager`, the longest first; then kernels whose operators `eager`
// lacks.
std::vector<OperatorOrigin> operator_origins(const CompiledProfile& eager,
                                             const CompiledProfile& compiled);

}  // namespace lanescope
