#include "core/trace/kernel_family.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/trace/communication.h"
#include "core/trace/cpp_name.h"
#include "core/trace/kernel_label.h"

namespace lanescope {

namespace {

constexpr std::array<std::string_view, kKernelFamilies> kFamilyNames = {
    "matrix product", "attention", "norm",          "softmax",   "elementwise",
    "reduction",      "experts",   "quantise",      "embedding", "sampling",
    "rope",           "optimizer", "communication", "copy",      "other"};

using F = KernelFamily;

struct FamilyRule {
    KernelFamily family;
    std::string_view word;        // substring of the text, in lower case
    std::string_view and_word{};  // a second substring, anywhere
};

// The text is a kernel's label and its function with namespaces, or an operator. The first matching
// rule applies, so narrow rules come first.
constexpr FamilyRule kNameRules[] = {
    // Labels that name a functor.
    {F::copy, "elementwise<direct_copy"},
    {F::copy, "elementwise<bfloat16_copy"},
    {F::copy, "elementwise<bfloat16tofloat32_copy"},
    {F::copy, "elementwise<copy_device"},
    {F::copy, "elementwise<index"},
    {F::quantise, "elementwise<", "fp8"},
    {F::elementwise, "elementwise<"},
    {F::norm, "reduce<norm"},
    {F::sampling, "reduce<arg_max"},
    {F::reduction, "reduce<"},
    {F::copy, "multi_tensor<", "copy"},
    {F::optimizer, "multi_tensor<"},
    {F::copy, "memcpy"},
    {F::copy, "memset"},
    {F::copy, "fillbuffer"},
    {F::copy, "copybuffer"},
    // Fused kernels of Inductor are named after all surrounding operators; a pointwise kernel does
    // not compute their sums.
    {F::matrix_product, "triton_tem_", "mm"},
    {F::attention, "triton_tem_", "attention"},
    {F::embedding, "triton_poi_", "embedding"},
    {F::rope, "triton_poi_", "rotary"},
    {F::copy, "triton_poi_fused_cat"},
    {F::copy, "triton_poi_fused_clone"},
    {F::elementwise, "triton_poi_"},
    {F::softmax, "triton_", "softmax"},
    {F::norm, "triton_", "norm"},
    {F::norm, "triton_", "rsqrt"},
    {F::reduction, "triton_red_"},
    {F::reduction, "triton_per_"},

    {F::experts, "bmm ", "dynb"},  // a batch for each expert
    {F::experts, "expert"},
    {F::experts, "moe"},
    {F::experts, "grouped gemm"},
    {F::experts, "matmul_ogs"},
    {F::experts, "topkgating"},
    {F::experts, "routing"},
    {F::experts, "bitmatrix"},
    {F::experts, "matmul_scatter"},

    {F::rope, "rope"},
    {F::rope, "rotary"},
    {F::norm, "rmsnorm"},
    {F::norm, "rms_norm"},
    {F::norm, "qknorm"},
    {F::norm, "layernorm"},
    {F::norm, "layer_norm"},
    {F::norm, "batchnorm"},
    {F::norm, "batch_norm"},
    {F::norm, "groupnorm"},
    {F::norm, "group_norm"},
    {F::norm, "instancenorm"},
    {F::norm, "bn_fw"},
    {F::norm, "bn_bw"},
    {F::norm, "rowwisemoments"},
    {F::norm, "gammabeta"},

    {F::attention, "attention"},
    {F::attention, "attn"},
    {F::attention, "flash_fwd"},
    {F::attention, "flash_bwd"},
    {F::attention, "fmha"},
    {F::attention, "sdpa"},
    {F::attention, "_mla"},
    {F::attention, "mla_"},
    {F::attention, "::mla"},
    {F::attention, "batchprefill"},
    {F::attention, "batchdecode"},
    {F::attention, "mergestate"},
    {F::attention, "merge_state"},
    {F::attention, "reshape_and_cache"},
    {F::attention, "kv_cache"},
    {F::attention, "kvcache"},
    {F::attention, "kv_indices"},
    {F::attention, "kv_buffer"},
    {F::attention, "page_indices"},
    {F::attention, "alloc_decode"},  // pages for the keys and values of a step
    {F::attention, "alloc_extend"},
    {F::attention, "grouped_kernel_stage"},
    {F::attention, "delta_rule"},
    {F::attention, "selective_scan"},
    {F::attention, "mamba"},
    {F::attention, "causal_conv1d"},

    {F::quantise, "quant"},
    {F::quantise, "fp8_qparam"},
    {F::quantise, "fp8rowwise"},
    {F::quantise, "scaled_cvt"},
    {F::quantise, "cvt_fp16_to_fp4"},

    {F::softmax, "softmax"},
    {F::softmax, "cross_entropy"},
    {F::softmax, "crossentropy"},
    {F::softmax, "nll_loss"},
    {F::softmax, "classnllcriterion"},

    {F::embedding, "embedding"},
    {F::embedding, "pooled_embs"},
    {F::embedding, "bounds_check_indices"},
    {F::embedding, "linearize_index"},
    {F::embedding, "permute_2d"},
    {F::embedding, "permute_indices_weights"},
    {F::embedding, "bucketize_sparse"},
    {F::embedding, "offsets_range"},
    {F::embedding, "lengths_range"},
    {F::embedding, "to_dense_representation"},
    {F::embedding, "recat_copy"},
    {F::embedding, "fbgemm_gpu"},

    {F::optimizer, "adam"},
    {F::optimizer, "adagrad"},
    {F::optimizer, "::sgd"},
    {F::optimizer, "sgd_"},
    {F::optimizer, "lamb_"},
    {F::optimizer, "optimizer"},
    {F::optimizer, "_amp_"},
    {F::optimizer, "amp_update_scale"},

    {F::sampling, "sampl"},
    {F::sampling, "argmax"},
    {F::sampling, "topk"},
    {F::sampling, "top_k"},
    {F::sampling, "top_p"},
    {F::sampling, "topp"},
    {F::sampling, "multinomial"},
    {F::sampling, "gumbel"},
    {F::sampling, "penalt"},
    {F::sampling, "future_token"},
    {F::sampling, "speculative"},

    {F::matrix_product, "gemm"},
    {F::matrix_product, "bmm "},
    {F::matrix_product, "gemv"},
    {F::matrix_product, "mul_mat"},  // llama.cpp's
    {F::matrix_product, "matmul"},
    {F::matrix_product, "conv"},
    {F::matrix_product, "dgrad"},
    {F::matrix_product, "wgrad"},
    {F::matrix_product, "winograd"},
    {F::matrix_product, "splitk"},
    {F::matrix_product, "fft1d_"},  // cuDNN's convolutions by Fourier transforms
    {F::matrix_product, "fft2d_"},
    {F::matrix_product, "pointwise_mult_and_sum_complex"},
    {F::matrix_product, "transpose_readwrite_alignment"},
    {F::matrix_product, "flip_filter"},
    {F::matrix_product, "im2col"},
    {F::matrix_product, "col2im"},
    {F::matrix_product, "cask_cudnn"},
    {F::matrix_product, "cublas"},
    {F::matrix_product, "dot_kernel"},
    {F::matrix_product, "reduce_1block_kernel"},  // the second part of cuBLAS's dot products
    {F::matrix_product, "epilogue::impl"},
    {F::matrix_product, "marlin"},
    {F::matrix_product, "wvsplitk"},
    {F::matrix_product, "scalepackedtensor"},
    {F::matrix_product, "subtensorop"},
    {F::matrix_product, "scal_kernel"},
    {F::matrix_product, "lstm"},
    {F::matrix_product, "gru_"},

    {F::copy, "catarraybatchedcopy"},
    {F::copy, "transpose"},
    {F::copy, "nchwtonhwc"},
    {F::copy, "nhwctonchw"},
    {F::copy, "permute"},
    {F::copy, "gather"},
    {F::copy, "scatter"},
    {F::copy, "indexselect"},
    {F::copy, "index_select"},
    {F::copy, "indexfunc"},
    {F::copy, "copy"},

    {F::reduction, "pool"},
    {F::reduction, "reduce"},
    {F::reduction, "scan"},
    {F::reduction, "cumsum"},
    {F::reduction, "sort"},
    {F::reduction, "histogram"},
    {F::reduction, "compactinit"},
    {F::reduction, "segment"},
    {F::reduction, "searchsorted"},
    {F::reduction, "reverse_indices"},
    {F::reduction, "sum_"},

    {F::elementwise, "act_and_mul"},
    {F::elementwise, "and_mul"},
    {F::elementwise, "silu"},
    {F::elementwise, "gelu"},
    {F::elementwise, "relu"},
    {F::elementwise, "dropout"},
    {F::elementwise, "distribution"},
    {F::elementwise, "elementwise"},
    {F::elementwise, "pointwise"},
    {F::elementwise, "fill"},
    {F::elementwise, "clamp"},
    {F::elementwise, "mask"},
};

// Operators whose names are too short for substring rules.
constexpr FamilyRule kOperatorRules[] = {
    {F::matrix_product, "::mm"},
    {F::matrix_product, "addmm"},
    {F::matrix_product, "::bmm"},
    {F::matrix_product, "baddbmm"},
    {F::matrix_product, "::linear"},
    {F::matrix_product, "::dot"},
    {F::embedding, "fb::"},  // of recommender models
    {F::embedding, "fbgemm::"},
    {F::copy, "::cat"},
    {F::copy, "::index"},
    {F::reduction, "::sum"},
    {F::reduction, "::mean"},
    {F::reduction, "repeat_interleave"},
    {F::elementwise, "::add"},
    {F::elementwise, "::mul"},
    {F::elementwise, "::div"},
    {F::elementwise, "::sub"},
    {F::elementwise, "::uniform"},
    {F::elementwise, "::normal"},
};

bool rule_fits(const FamilyRule& rule, std::string_view text) {
    return text.find(rule.word) != std::string_view::npos &&
           text.find(rule.and_word) != std::string_view::npos;
}

KernelFamily first_fit(std::span<const FamilyRule> rules, std::string_view text) {
    const auto found =
        std::ranges::find_if(rules, [&](const FamilyRule& rule) { return rule_fits(rule, text); });
    return found == rules.end() ? KernelFamily::other : found->family;
}

std::string in_lower_case(std::string text) {
    std::ranges::transform(text, text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return text;
}

// Namespaces and function, without template arguments and parameters.
std::string path_without_arguments(std::string_view name) {
    std::string path;
    int depth = 0;
    for (const char c : parse_cpp_name(name).path) {
        depth += c == '<' ? 1 : c == '>' ? -1 : 0;
        if (depth == 0 && c != '>') path += c;
    }
    return path;
}

}  // namespace

std::string_view family_name(KernelFamily family) {
    return kFamilyNames[static_cast<std::size_t>(family)];
}

std::span<const std::string_view> family_names() {
    return kFamilyNames;
}

KernelFamily family_of_kernel(std::string_view name) {
    if (communication_kernel(name)) return KernelFamily::communication;
    const bool is_symbol = name.starts_with("_Z");
    const bool is_function = is_symbol || name.find('<') != std::string_view::npos;
    const std::string_view head = name.substr(0, kLongestName);
    const std::string path =
        is_function ? path_without_arguments(plain_cpp_name(head)) : std::string(head);
    return first_fit(kNameRules, in_lower_case(kernel_label(name) + " " + path));
}

KernelFamily family_of_operator(std::string_view name) {
    const std::string text = in_lower_case(std::string(name));
    if (text.starts_with("compiledfunction") || text.starts_with("torch::autograd"))
        return KernelFamily::other;
    const KernelFamily family = first_fit(kNameRules, text);
    return family == KernelFamily::other ? first_fit(kOperatorRules, text) : family;
}

}  // namespace lanescope
