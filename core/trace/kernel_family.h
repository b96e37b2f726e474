// Families of GPU work: what a kernel is for.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace lanescope {

enum class KernelFamily : uint8_t {
    matrix_product,  // and convolutions, with the kernels that prepare their operands
    attention,       // and the cache of keys and values
    norm,
    softmax,  // and losses on it
    elementwise,
    reduction,  // and scans, sorts and pooling
    experts,    // routing to experts, and their matrix products
    quantise,
    embedding,
    sampling,
    rope,
    optimizer,
    communication,
    copy,   // copies and sets, and kernels that only move or reorder
    other,  // neither name nor operator says it
};
inline constexpr int kKernelFamilies = 15;

// "matrix product", "attention", …
std::string_view family_name(KernelFamily family);
// In the order of the enumeration.
std::span<const std::string_view> family_names();

// By a kernel's plain or mangled name; `other` if the name does not say it. Copies and sets of the
// runtime are `copy`. Makes the kernel's label: call it once for each distinct name.
KernelFamily family_of_kernel(std::string_view name);
// By the operator that launched a kernel whose name says nothing; `other` if its name does not say
// it either.
KernelFamily family_of_operator(std::string_view name);

}  // namespace lanescope
