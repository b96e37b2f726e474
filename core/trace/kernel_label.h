// Labels of GPU kernels: readable names with the properties that distinguish kernels.
//
//     GEMM 128×256×64 bf16→f32 TN 3-stage relu align8 cutlass sm80
//     conv dgrad 128×128×16 tf32 nhwc 4-stage
//     attention fwd d64 causal bf16 128×128 flash
//     elementwise<direct_copy, bf16, unrolled cast>
//     reduce<mean, f32, 512×1>
//     internode_ll::combine<false, 8, bf16>
#pragma once

#include <string>
#include <string_view>

namespace lanescope {

inline constexpr std::size_t kLongestLabel = 60;  // characters

// The label of a kernel's plain or mangled name, with at most kLongestLabel characters. Different
// names can have the same label: see ShortNames.
std::string kernel_label(std::string_view name);

// `text` cut to `length` characters; "…" replaces the middle of a longer text.
std::string cut_in_middle(std::string_view text, std::size_t length);
// The number of characters in a UTF-8 text.
std::size_t characters_of(std::string_view text);

}  // namespace lanescope
