#include "core/models/kernel_name.h"

#include <re2/re2.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace lanescope {

namespace {

struct Pattern {
    Pipe pipe;
    const char* expression;  // groups capture words for types; the first that is a type counts
    DataType type = DataType::unknown;  // used if the expression has no group
};

// Tried in this order; the first match decides.
constexpr std::array kPatterns = {
    Pattern{Pipe::tensor, R"(^nvjet_(?:sm\d+_)?([a-z]))"},
    Pattern{
        Pipe::tensor,
        R"(^bmm_\w*?_(?:Mx|Nv)?(E2m1|E4m3|E5m2|Bfloat16|Fp16)(?:Mx|Nv)?(E2m1|E4m3|E5m2|Bfloat16|Fp16)_Fp32)"},
    Pattern{Pipe::vector, R"(sm\d+_xmma_\w*f32_\w*_ffma_)", DataType::fp32},
    Pattern{Pipe::tensor,
            R"(sm\d+_xmma_\w*?_(bf16|f16|tf32|e4m3|i8|f32)(?:bf16|f16|tf32|e4m3|i8|f32)_)"},
    Pattern{Pipe::tensor, R"(cutlass\w*?_(?:wmma_)?tensorop_(bf16|f16|tf32|e4m3|e5m2|s8|f64)_)"},
    Pattern{Pipe::tensor, R"(cutlass\w*?_tensorop_s\d+(?:gemm|fprop|dgrad|wgrad))", DataType::tf32},
    Pattern{Pipe::vector, R"(cutlass\w*?_simt_([shdc])gemm)"},
    Pattern{Pipe::vector, R"(gemm(?:SN|k1)\w*_kernel<(float|__half|half))"},
    Pattern{Pipe::vector, R"(^sgemm_)", DataType::fp32},
    Pattern{Pipe::tensor,
            R"((?:volta|turing|ampere|hopper|sm\d+)_(bf16|fp16|f16)_[shi]\d{3,6}(?:gemm|cudnn))"},
    Pattern{Pipe::tensor, R"((?:volta|turing|ampere)_(h)\d{3,6}(?:gemm|cudnn))"},
    Pattern{Pipe::vector, R"((?:volta|turing|ampere|maxwell)_([shd]|[cz]|gc)(?:gemm|cudnn))"},
    Pattern{Pipe::vector,
            R"((?:convolve_sgemm|dgrad\w*|wgrad\w*|winograd\w*)<(float|__half|half))"},
    Pattern{Pipe::vector, R"(fft[12]d_[rc]2[rc]|scudnn_winograd)", DataType::fp32},
    Pattern{Pipe::tensor, R"(C[a-z]{3}_A[a-z]{3}_B[a-z]{3}_(F8N?|B8N?|I8|[BHSDX]))"},
    Pattern{Pipe::vector, R"(miopenSp3AsmConv_v[\d_]+gfx\w+?_(fp16|fp32|bf16))"},
    Pattern{Pipe::tensor, R"(igemm_(?:fwd|bwd|wrw)_gtcx?\d*_nhwc_(fp16|fp32|bf16))"},
    Pattern{Pipe::vector, R"(naive_conv_\w+?_(half|float|bf16)_)"},
    Pattern{Pipe::tensor, R"([Mm]arlin|machete|awq_gemm|gptq)"},
    Pattern{
        Pipe::tensor,
        R"(fmhaSm\w*_Qkv(E4m3|Bfloat16|Fp16)|flash\w*<.*?(bfloat16|half)_t|paged_attention\w*<[^>]*?__hip_(bfloat16))"},
    Pattern{Pipe::tensor, R"(attn_fwd|attn_bwd|unified_attention|bwd_kernel_dk)"},
    Pattern{Pipe::tensor, R"(_matmul_ogs_[NT]+_(bf16|fp16|fp8\w*)x)"},
    Pattern{Pipe::vector, R"(gemv\w*_kernel\w*<.*?(__nv_bfloat16|__half|float))"},
};

struct Word {
    std::string_view word;
    DataType type;
};
constexpr std::array kWords = {
    Word{"t", DataType::bf16},
    Word{"h", DataType::fp16},
    Word{"q", DataType::fp8},
    Word{"s", DataType::fp32},
    Word{"E2m1", DataType::fp4},
    Word{"E4m3", DataType::fp8},
    Word{"E5m2", DataType::fp8},
    Word{"e4m3", DataType::fp8},
    Word{"e5m2", DataType::fp8},
    Word{"fp8", DataType::fp8},
    Word{"F8", DataType::fp8},
    Word{"F8N", DataType::fp8},
    Word{"B8", DataType::fp8},
    Word{"B8N", DataType::fp8},
    Word{"Bfloat16", DataType::bf16},
    Word{"bfloat16", DataType::bf16},
    Word{"__nv_bfloat16", DataType::bf16},
    Word{"bf16", DataType::bf16},
    Word{"B", DataType::bf16},
    Word{"Fp16", DataType::fp16},
    Word{"fp16", DataType::fp16},
    Word{"f16", DataType::fp16},
    Word{"half", DataType::fp16},
    Word{"__half", DataType::fp16},
    Word{"H", DataType::fp16},
    Word{"tf32", DataType::tf32},
    Word{"X", DataType::tf32},
    Word{"f32", DataType::fp32},
    Word{"fp32", DataType::fp32},
    Word{"float", DataType::fp32},
    Word{"S", DataType::fp32},
    Word{"f64", DataType::fp64},
    Word{"d", DataType::fp64},
    Word{"D", DataType::fp64},
    Word{"s8", DataType::int8},
    Word{"i8", DataType::int8},
    Word{"I8", DataType::int8},
    Word{"c", DataType::complex64},
    Word{"gc", DataType::complex64},
    Word{"z", DataType::complex128},
};

DataType type_of_word(std::string_view word) {
    for (const Word& w : kWords)
        if (w.word == word) return w.type;
    return DataType::unknown;
}

// nvjet writes TF32 as the single letter s; elsewhere s is plain fp32.
DataType type_of(const Pattern& pattern, std::string_view first, std::string_view second) {
    if (pattern.type != DataType::unknown) return pattern.type;
    if (&pattern == &kPatterns.front() && first == "s") return DataType::tf32;
    const DataType a = type_of_word(first);
    const DataType b = type_of_word(second);
    if (a == DataType::unknown) return b;
    // With two operand types, the rate of the wider one applies.
    return bytes_of(b) > bytes_of(a) || (a == DataType::fp4 && b == DataType::fp8) ? b : a;
}

struct Compiled {
    Compiled() {
        for (const Pattern& p : kPatterns) patterns.push_back(std::make_unique<RE2>(p.expression));
    }

    std::vector<std::unique_ptr<RE2>> patterns;
    RE2 helper{
        "splitK|epilogue::impl|nchwToNhwc|nhwcToNchw|transpose|im2col|col2im|scalePackedTensor|"
        "flip_filter|reduce_wgrad|compute\\w*Offsets|SubTensorOp|cudnn::ops|ReduceSplitK|"
        "CastTensor|elementwise|Memset"};
    RE2 transformed{"(?i)winograd|fft[12]d_|fft2d|miopenSp3AsmConv|cgemm"};
    RE2 data_gradient{"dgrad|bwd"};
    RE2 weight_gradient{"wgrad|wrw"};
    RE2 element{"OpaqueType<(2)|(BFloat16|bfloat16)|(__half|Half)|[<, ](double)|[<, ](float)"};
};

const Compiled& compiled() {
    static const Compiled all;
    return all;
}

re2::StringPiece piece(std::string_view text) {
    return {text.data(), text.size()};
}

void find_matrix_rule(std::string_view name, KernelFacts& facts) {
    for (std::size_t i = 0; i < kPatterns.size(); ++i) {
        const RE2& expression = *compiled().patterns[i];
        std::array<re2::StringPiece, 4> groups;
        const int count = std::min(3, expression.NumberOfCapturingGroups()) + 1;
        if (!expression.Match(piece(name), 0, name.size(), RE2::UNANCHORED, groups.data(), count))
            continue;
        std::array<std::string_view, 2> words;
        std::size_t found = 0;
        for (int g = 1; g < count && found < words.size(); ++g) {
            const auto& group = groups[static_cast<std::size_t>(g)];
            if (!group.empty()) words[found++] = {group.data(), group.size()};
        }
        facts.is_matrix = true;
        facts.pipe = kPatterns[i].pipe;
        facts.type = type_of(kPatterns[i], words[0], words[1]);
        return;
    }
}

DataType element_of(std::string_view name) {
    std::array<re2::StringPiece, 6> groups;
    const RE2& expression = compiled().element;
    if (!expression.Match(piece(name), 0, name.size(), RE2::UNANCHORED, groups.data(), 6))
        return DataType::unknown;
    if (!groups[2].empty()) return DataType::bf16;
    if (!groups[3].empty()) return DataType::fp16;
    if (!groups[4].empty()) return DataType::fp64;
    // Copies elements of two bytes of any type.
    return groups[1].empty() ? DataType::fp32 : DataType::fp16;
}

}  // namespace

KernelFacts facts_of_kernel(std::string_view name) {
    KernelFacts facts;
    find_matrix_rule(name, facts);
    const auto has = [&](const RE2& expression) {
        return RE2::PartialMatch(piece(name), expression);
    };
    facts.transformed = has(compiled().transformed);
    if (has(compiled().helper))
        facts.role = KernelRole::helper;
    else if (has(compiled().weight_gradient))
        facts.role = KernelRole::weight_gradient;
    else if (has(compiled().data_gradient))
        facts.role = KernelRole::data_gradient;
    facts.element = facts.type != DataType::unknown ? facts.type : element_of(name);
    return facts;
}

}  // namespace lanescope
