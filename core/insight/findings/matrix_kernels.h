// Which kernels multiply matrices, and how, as their names say.
#pragma once

#include <string_view>

namespace lanescope {

// Names of cuBLAS, CUTLASS, cuDNN, Triton templates and hipBLASLt.
bool is_matrix_kernel(std::string_view name);
// A softmax, forward, that is no part of a fused attention kernel or of a loss.
bool is_softmax_kernel(std::string_view name);
// The kernel reads its operands in pieces of one or two elements, because their sizes or addresses
// are not aligned: "…_align1".
bool is_unaligned_kernel(std::string_view name);
// The kernel only changes the order of a tensor's dimensions: "nchwToNhwcKernel", a transpose.
bool is_layout_kernel(std::string_view name);

}  // namespace lanescope
