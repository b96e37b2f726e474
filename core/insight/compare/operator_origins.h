// What became of the operators of a run without compiled code in a compiled one. A part of
// compare_compiled_code().
#pragma once

#include <vector>

#include "core/insight/compare/compiled_changes.h"

namespace lanescope {

// By falling time of the operators in `eager`; then kernels whose operators `eager` does not have.
std::vector<OperatorOrigin> operator_origins(const CompiledProfile& eager,
                                             const CompiledProfile& compiled);

}  // namespace lanescope
