#include "core/insight/findings/matrix_kernels.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "core/trace/short_name.h"

namespace lanescope {

namespace {

std::string lower(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::tolower(c); });
    return out;
}

std::string without_underscores(std::string text) {
    std::erase(text, '_');
    return text;
}

// Conversion kernels of cuDNN, MIOpen, CUTLASS and TensorRT.
constexpr std::array<std::string_view, 8> kConversions = {
    "nchwtonhwc", "nhwctonchw", "nchw2nhwc",        "nhwc2nchw",
    "nchw2cnhw",  "cnhw2nchw",  "nhwctofoldednhwc", "foldednhwctonhwc"};

}  // namespace

bool is_matrix_kernel(std::string_view name) {
    constexpr std::array<std::string_view, 12> parts = {"gemm",  "xmma",   "cutlass_", "wmma",
                                                        "hmma",  "Cijk_",  "gemv",     "s1688",
                                                        "nvjet", "matmul", "marlin",   "bmm_"};
    const std::string text = lower(name);
    return std::ranges::any_of(
        parts, [&](std::string_view part) { return text.find(lower(part)) != std::string::npos; });
}

bool is_softmax_kernel(std::string_view name) {
    // The arguments of a template may name a softmax that is only a part of what the kernel does.
    const std::string_view function = short_name(name, EventClass::kernel);
    const std::string text = lower(function.substr(0, function.find('<')));
    const auto has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
    return has("softmax") && !has("backward") && !has("logsoftmax") && !has("log_softmax") &&
           !has("topk") && !has("gating") && !has("moe") && !has("routing") && !has("flash") &&
           !has("fmha") && !has("attention") && !has("nll");
}

bool is_unaligned_kernel(std::string_view name) {
    return is_matrix_kernel(name) &&
           (name.find("_align1") != std::string_view::npos ||
            name.find("_align2") != std::string_view::npos) &&
           name.find("_align16") == std::string_view::npos;
}

bool is_layout_kernel(std::string_view name) {
    const std::string_view function = short_name(name, EventClass::kernel);
    const std::string text = lower(function.substr(0, function.find('<')));
    const auto has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
    const std::string joined = without_underscores(text);
    const bool converts = has("transpose") || std::ranges::any_of(kConversions, [&](auto part) {
                              return joined.find(part) != std::string::npos;
                          });
    return converts && !is_matrix_kernel(name) && !has("conv") && !has("attention");
}

}  // namespace lanescope
