#include "core/trace/kernel_label.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/trace/label_forms.h"

namespace lanescope {

namespace {

// Generic functions whose template argument identifies the kernel:
// "cutlass::device_kernel<X>", "cutlass_cudnn::Kernel2<X>", "ck_tile::kentry<1, X>"
std::string_view inside_of_wrappers(std::string_view name) {
    constexpr std::array<std::string_view, 6> kWrappers = {
        "device_kernel", "Kernel", "Kernel2", "kentry", "enable_sm90", "enable_sm90_or_later"};
    for (int wrappers = 0; wrappers < 4; ++wrappers) {
        const CppName parts = parse_cpp_name(name);
        if (std::ranges::find(kWrappers, parts.function) == kWrappers.end()) return name;
        bool found = false;
        for (const std::string_view argument : split_template_arguments(parts.arguments)) {
            if (argument.empty()) continue;
            const char first = argument.front();
            if ((first >= '0' && first <= '9') || !number_type(argument).empty()) continue;
            name = argument;
            found = true;
            break;
        }
        if (!found) break;
    }
    return name;
}

// Names that many libraries use, so that a kernel needs its namespace to be identified.
bool needs_scope(std::string_view function) {
    constexpr std::array<std::string_view, 14> kCommon = {"kernel",
                                                          "Kernel",
                                                          "device_kernel",
                                                          "combine",
                                                          "dispatch",
                                                          "notify_dispatch",
                                                          "run",
                                                          "forward",
                                                          "backward",
                                                          "launch",
                                                          "cached_notify_combine",
                                                          "operator",
                                                          "main",
                                                          "cached_notify_dispatch"};
    return function.size() <= 6 || std::ranges::find(kCommon, function) != kCommon.end();
}

// "float", "float", "float" → "f32×3"
std::vector<std::string> compact_arguments(std::string_view arguments) {
    std::vector<std::string> list;
    std::size_t run = 0;  // number of equal types at the end
    for (const std::string_view argument : split_template_arguments(arguments)) {
        std::string compact = compact_argument(argument, 1);
        if (compact.size() > 9 && compact.find_first_not_of("0123456789") == std::string::npos)
            continue;  // bits of a descriptor
        if (characters_of(compact) > 36) compact = compact_argument(argument, 0);
        const bool repeats =
            run > 0 && compact == number_type(argument) &&
            (list.back() == compact || list.back() == fmt::format("{}×{}", compact, run));
        run = repeats ? run + 1 : compact == number_type(argument) ? 1 : 0;
        if (repeats)
            list.back() = fmt::format("{}×{}", compact, run);
        else
            list.push_back(compact);
    }
    return list;
}

// "quantize<(Kind)2, __nv_bfloat16, 32>" → "quantize<2, bf16, 32>"
std::string function_label(const CppName& parts) {
    std::string label;
    if (needs_scope(parts.function) && !parts.scope.empty())
        label = std::string(parts.scope) + "::";
    label += parts.function;
    if (parts.arguments.empty()) return label;
    std::string list;
    for (const std::string& compact : compact_arguments(parts.arguments)) {
        const std::string more = (list.empty() ? "" : ", ") + compact;
        if (characters_of(label) + characters_of(list) + characters_of(more) + 5 > kLongestLabel) {
            if (!list.empty()) list += ", …";
            break;
        }
        list += more;
    }
    if (list.empty()) return label;
    return label + "<" + list + ">";
}

// CuTe DSL: "kernel_cutlass_kernel_normRMSNormKernel_object_at__tensorptr…" → "normRMSNormKernel"
std::string_view without_frame(std::string_view name) {
    constexpr std::string_view kHead = "kernel_cutlass_";
    if (!name.starts_with(kHead)) return name;
    name.remove_prefix(kHead.size());
    if (name.starts_with("kernel_")) name.remove_prefix(7);
    return name.substr(0, name.find("_object_at_"));
}

bool is_function(std::string_view name) {
    return name.find('<') != std::string_view::npos || name.ends_with(')');
}

// A symbol that cannot be demangled: for a CUTLASS product its tile, otherwise its function.
std::string symbol_label(std::string_view symbol) {
    constexpr std::string_view kShape = "GemmShapeI";
    if (const std::size_t at = symbol.find(kShape); at != std::string_view::npos) {
        std::string tile;
        std::string_view rest = symbol.substr(at + kShape.size());
        while (rest.starts_with("Li")) {
            const std::size_t end = rest.find('E');
            if (end == std::string_view::npos) break;  // the name is truncated
            tile += (tile.empty() ? "" : "×") + std::string(rest.substr(2, end - 2));
            rest.remove_prefix(end + 1);
        }
        std::string what = "GEMM";
        for (const auto& [sign, name] :
             {std::pair("Fprop", "conv fprop"), std::pair("Dgrad", "conv dgrad"),
              std::pair("Wgrad", "conv wgrad")})
            if (symbol.find(sign) != std::string_view::npos) what = name;
        const bool tf32 = symbol.find("tfloat32_t") != std::string_view::npos;
        return label_of_words({what, tile, tf32 ? "tf32" : "", "cutlass"});
    }
    return std::string(function_of_symbol(symbol));
}

std::string whole_label(std::string_view raw) {
    if (raw.size() > kLongestName) return std::string(raw);
    // Names of Triton kernels and copies are readable, and may resemble names of other libraries.
    if (raw.starts_with("triton_") || raw.starts_with("Mem")) return std::string(raw);
    const std::string plain = plain_cpp_name(raw);
    const std::string_view name = inside_of_wrappers(plain);
    const CppName parts = is_function(name) ? parse_cpp_name(name) : CppName{name, {}, name, {}};
    if (parts.function.empty()) return std::string(raw);
    if (plain.starts_with("_Z")) return symbol_label(plain);
    if (std::string label = functor_label(parts); !label.empty()) return label;
    if (std::string label = attention_label(name, parts); !label.empty()) return label;
    if (std::string label = templated_matrix_label(parts.path); !label.empty()) return label;
    if (std::string label = matrix_label(parts.function); !label.empty()) return label;
    return is_function(name) ? function_label(parts) : std::string(without_frame(name));
}

}  // namespace

std::string label_of_words(const std::vector<std::string>& words) {
    std::string label;
    std::size_t length = 0;
    for (const std::string& word : words) {
        const std::size_t more = characters_of(word) + (label.empty() ? 0 : 1);
        if (word.empty() || length + more > kLongestLabel) continue;
        label += (label.empty() ? "" : " ") + word;
        length += more;
    }
    return label;
}

std::size_t characters_of(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string cut_in_middle(std::string_view text, std::size_t length) {
    if (characters_of(text) <= length || length < 3) return std::string(text);
    const std::size_t tail = (length - 1) / 3;
    const auto position = [&](std::size_t character) {  // in bytes
        std::size_t at = 0;
        for (; at < text.size(); ++at) {
            const bool begins = (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U;
            if (begins && character-- == 0) break;
        }
        return at;
    };
    return std::string(text.substr(0, position(length - 1 - tail))) + "…" +
           std::string(text.substr(position(characters_of(text) - tail)));
}

std::string kernel_label(std::string_view name) {
    return cut_in_middle(whole_label(name), kLongestLabel);
}

}  // namespace lanescope
