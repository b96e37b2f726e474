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

struct FamilyRule {
    KernelFamily family;
    std::string_view word;        // part of the text, in lower case
    std::string_view and_word{};  // a second one, anywhere
};

// The text is the kernel's label and its function with namespaces, or an operator. The first rule
// that fits counts, so the narrow ones come first.
constexpr auto kNameRules = [] {
    using enum KernelFamily;
    return std::to_array<FamilyRule>({
        // Forms of labels that name the functor.
        {copy, "elementwise<direct_copy"},
        {copy, "elementwise<bfloat16_copy"},
        {copy, "elementwise<bfloat16tofloat32_copy"},
        {copy, "elementwise<copy_device"},
        {copy, "elementwise<index"},
        {quantise, "elementwise<", "fp8"},
        {elementwise, "elementwise<"},
        {norm, "reduce<norm"},
        {sampling, "reduce<arg_max"},
        {reduction, "reduce<"},
        {copy, "multi_tensor<", "copy"},
        {optimizer, "multi_tensor<"},
        {copy, "memcpy"},
        {copy, "memset"},
        {copy, "fillbuffer"},
        {copy, "copybuffer"},
        // Fused kernels of Inductor are named after all operators around them; a pointwise one does
        // none of their sums.
        {matrix_product, "triton_tem_", "mm"},
        {attention, "triton_tem_", "attention"},
        {embedding, "triton_poi_", "embedding"},
        {rope, "triton_poi_", "rotary"},
        {copy, "triton_poi_fused_cat"},
        {copy, "triton_poi_fused_clone"},
        {elementwise, "triton_poi_"},
        {softmax, "triton_", "softmax"},
        {norm, "triton_", "norm"},
        {norm, "triton_", "rsqrt"},
        {reduction, "triton_red_"},
        {reduction, "triton_per_"},

        {experts, "bmm ", "dynb"},  // a batch for each expert
        {experts, "expert"},
        {experts, "moe"},
        {experts, "grouped gemm"},
        {experts, "matmul_ogs"},
        {experts, "topkgating"},
        {experts, "routing"},
        {experts, "bitmatrix"},
        {experts, "matmul_scatter"},

        {rope, "rope"},
        {rope, "rotary"},
        {norm, "rmsnorm"},
        {norm, "rms_norm"},
        {norm, "qknorm"},
        {norm, "layernorm"},
        {norm, "layer_norm"},
        {norm, "batchnorm"},
        {norm, "batch_norm"},
        {norm, "groupnorm"},
        {norm, "group_norm"},
        {norm, "instancenorm"},
        {norm, "bn_fw"},
        {norm, "bn_bw"},
        {norm, "rowwisemoments"},
        {norm, "gammabeta"},

        {attention, "attention"},
        {attention, "attn"},
        {attention, "flash_fwd"},
        {attention, "flash_bwd"},
        {attention, "fmha"},
        {attention, "sdpa"},
        {attention, "_mla"},
        {attention, "mla_"},
        {attention, "::mla"},
        {attention, "batchprefill"},
        {attention, "batchdecode"},
        {attention, "mergestate"},
        {attention, "merge_state"},
        {attention, "reshape_and_cache"},
        {attention, "kv_cache"},
        {attention, "kvcache"},
        {attention, "kv_indices"},
        {attention, "kv_buffer"},
        {attention, "page_indices"},
        {attention, "alloc_decode"},  // pages for the keys and values of a step
        {attention, "alloc_extend"},
        {attention, "grouped_kernel_stage"},
        {attention, "delta_rule"},
        {attention, "selective_scan"},
        {attention, "mamba"},
        {attention, "causal_conv1d"},

        {quantise, "quant"},
        {quantise, "fp8_qparam"},
        {quantise, "fp8rowwise"},
        {quantise, "scaled_cvt"},
        {quantise, "cvt_fp16_to_fp4"},

        {softmax, "softmax"},
        {softmax, "cross_entropy"},
        {softmax, "crossentropy"},
        {softmax, "nll_loss"},
        {softmax, "classnllcriterion"},

        {embedding, "embedding"},
        {embedding, "pooled_embs"},
        {embedding, "bounds_check_indices"},
        {embedding, "linearize_index"},
        {embedding, "permute_2d"},
        {embedding, "permute_indices_weights"},
        {embedding, "bucketize_sparse"},
        {embedding, "offsets_range"},
        {embedding, "lengths_range"},
        {embedding, "to_dense_representation"},
        {embedding, "recat_copy"},
        {embedding, "fbgemm_gpu"},

        {optimizer, "adam"},
        {optimizer, "adagrad"},
        {optimizer, "::sgd"},
        {optimizer, "sgd_"},
        {optimizer, "lamb_"},
        {optimizer, "optimizer"},
        {optimizer, "_amp_"},
        {optimizer, "amp_update_scale"},

        {sampling, "sampl"},
        {sampling, "argmax"},
        {sampling, "topk"},
        {sampling, "top_k"},
        {sampling, "top_p"},
        {sampling, "topp"},
        {sampling, "multinomial"},
        {sampling, "gumbel"},
        {sampling, "penalt"},
        {sampling, "future_token"},
        {sampling, "speculative"},

        {matrix_product, "gemm"},
        {matrix_product, "bmm "},
        {matrix_product, "gemv"},
        {matrix_product, "matmul"},
        {matrix_product, "conv"},
        {matrix_product, "dgrad"},
        {matrix_product, "wgrad"},
        {matrix_product, "winograd"},
        {matrix_product, "splitk"},
        {matrix_product, "fft1d_"},  // cuDNN's convolutions by Fourier transforms
        {matrix_product, "fft2d_"},
        {matrix_product, "pointwise_mult_and_sum_complex"},
        {matrix_product, "transpose_readwrite_alignment"},
        {matrix_product, "flip_filter"},
        {matrix_product, "im2col"},
        {matrix_product, "col2im"},
        {matrix_product, "cask_cudnn"},
        {matrix_product, "cublas"},
        {matrix_product, "dot_kernel"},
        {matrix_product, "reduce_1block_kernel"},  // the second part of cuBLAS's dot products
        {matrix_product, "epilogue::impl"},
        {matrix_product, "marlin"},
        {matrix_product, "wvsplitk"},
        {matrix_product, "scalepackedtensor"},
        {matrix_product, "subtensorop"},
        {matrix_product, "scal_kernel"},
        {matrix_product, "lstm"},
        {matrix_product, "gru_"},

        {copy, "catarraybatchedcopy"},
        {copy, "transpose"},
        {copy, "nchwtonhwc"},
        {copy, "nhwctonchw"},
        {copy, "permute"},
        {copy, "gather"},
        {copy, "scatter"},
        {copy, "indexselect"},
        {copy, "index_select"},
        {copy, "indexfunc"},
        {copy, "copy"},

        {reduction, "pool"},
        {reduction, "reduce"},
        {reduction, "scan"},
        {reduction, "cumsum"},
        {reduction, "sort"},
        {reduction, "histogram"},
        {reduction, "compactinit"},
        {reduction, "segment"},
        {reduction, "searchsorted"},
        {reduction, "reverse_indices"},
        {reduction, "sum_"},

        {elementwise, "act_and_mul"},
        {elementwise, "and_mul"},
        {elementwise, "silu"},
        {elementwise, "gelu"},
        {elementwise, "relu"},
        {elementwise, "dropout"},
        {elementwise, "distribution"},
        {elementwise, "elementwise"},
        {elementwise, "pointwise"},
        {elementwise, "fill"},
        {elementwise, "clamp"},
        {elementwise, "mask"},
    });
}();

// Operators whose names are too short for rules on parts of names.
constexpr auto kOperatorRules = [] {
    using enum KernelFamily;
    return std::to_array<FamilyRule>({
        {matrix_product, "::mm"},
        {matrix_product, "addmm"},
        {matrix_product, "::bmm"},
        {matrix_product, "baddbmm"},
        {matrix_product, "::linear"},
        {matrix_product, "::dot"},
        {embedding, "fb::"},  // of recommender models
        {embedding, "fbgemm::"},
        {copy, "::cat"},
        {copy, "::index"},
        {reduction, "::sum"},
        {reduction, "::mean"},
        {reduction, "repeat_interleave"},
        {elementwise, "::add"},
        {elementwise, "::mul"},
        {elementwise, "::div"},
        {elementwise, "::sub"},
        {elementwise, "::uniform"},
        {elementwise, "::normal"},
    });
}();

bool rule_fits(const FamilyRule& rule, std::string_view text) {
    return text.find(rule.word) != std::string_view::npos &&
           text.find(rule.and_word) != std::string_view::npos;
}

template <std::size_t N>
KernelFamily first_fit(const std::array<FamilyRule, N>& rules, std::string_view text) {
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

// Namespaces and function, without arguments of templates and parameters.
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
    const std::string path =
        is_function ? path_without_arguments(plain_cpp_name(name)) : std::string(name);
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
