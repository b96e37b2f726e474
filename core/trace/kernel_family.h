// Families of GPU work: the purpose of a kernel.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace lanescope {

enum class KernelFamily : uint8_t {
    matrix_product,  // also convolutions, and kernels that prepare operands
    attention,       // also updates of the key–value cache
    norm,
    softmax,  // also losses based on softmax
    elementwise,
    reduction,  // also scans, sorts and pooling
    experts,    // routing to experts, and their matrix products
    quantise,
    embedding,
    sampling,
    rope,
    optimizer,
    communication,
    copy,   // copies, sets, and kernels that only move or reorder data
    other,  // not shown by name or operator
};
inline constexpr int kKernelFamilies = 15;

// "matrix product", "attention", …
std::string_view family_name(KernelFamily family);
// In the order of the enumeration.
std::span<const std::string_view> family_names();

// The family by a kernel's plain or mangled name; `other`: the name does not show it. Copies and
// sets of the runtime are `copy`. Computes the kernel's label, so call it once for each distinct
// name.
KernelFamily family_of_kernel(std::string_view name);
// The family by the operator that launched a kernel, for kernels whose name does not show it;
// `other`: the operator does not show it either.
KernelFamily family_of_operator(std::string_view name);

}  // namespace lanescope
