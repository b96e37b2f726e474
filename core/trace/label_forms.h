// Label formats, each for one kind of kernels: see kernel_label.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/trace/cpp_name.h"

namespace lanescope {

// Joins words with spaces, up to kLongestLabel characters: words that do not fit are left out.
std::string label_of_words(const std::vector<std::string>& words);

// These functions return an empty text if the kernel is of another kind.

// Matrix products and convolutions whose name is one word: cuBLAS, cuDNN, nvjet, CUTLASS 2,
// Tensile, hipBLASLt, MIOpen, TensorRT-LLM. "ampere_sgemm_128x64_nn" → "GEMM 128×64 f32 NN ampere".
std::string matrix_label(std::string_view word);
// Matrix products with the shape in template arguments: CUTLASS 2 and 3, Composable Kernel.
std::string templated_matrix_label(std::string_view name);
// Attention: FlashAttention 2 and 3, memory-efficient attention, cuDNN, TensorRT-LLM, Composable
// Kernel.
std::string attention_label(std::string_view name, const CppName& parts);
// PyTorch kernels that apply a functor: elementwise, reductions, lists of tensors.
std::string functor_label(const CppName& parts);

}  // namespace lanescope
