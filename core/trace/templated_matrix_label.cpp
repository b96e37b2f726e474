#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/trace/kernel_label.h"
#include "core/trace/label_forms.h"

namespace lanescope {

namespace {

using Texts = std::vector<std::string_view>;

// The arguments of the first template with this name: "GemmShape" → {"128", "256", "64"}; empty:
// not found.
Texts arguments_of(std::string_view name, std::string_view function) {
    for (std::size_t at = name.find(function); at != std::string_view::npos;
         at = name.find(function, at + 1)) {
        std::size_t open = at + function.size();
        while (open < name.size() && name[open] != '<' && name[open] != ',' && name[open] != ' ' &&
               name[open] != '>')
            ++open;
        if (open < name.size() && name[open] == '<')
            return split_template_arguments(parse_cpp_name(name.substr(at)).arguments);
    }
    return {};
}

bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "cute::C<128>" → "128"; "128" → "128"
std::string_view number_of(std::string_view text) {
    if (is_number(text)) return text;
    const Texts inner = split_template_arguments(parse_cpp_name(text).arguments);
    return inner.size() == 1 && is_number(inner[0]) ? inner[0] : std::string_view();
}

// "tuple<C<128>, C<256>, C<64>>" → {"128", "256", "64"}; empty: an element is not a number.
Texts numbers_of(std::string_view tuple) {
    Texts numbers;
    for (const std::string_view argument :
         split_template_arguments(parse_cpp_name(tuple).arguments)) {
        numbers.push_back(number_of(argument));
        if (numbers.back().empty()) return {};
    }
    return numbers;
}

std::string joined_by(std::span<const std::string_view> parts, std::string_view sign) {
    std::string text;
    for (const std::string_view part : parts) {
        if (!text.empty()) text += sign;
        text += part;
    }
    return text;
}

std::string types_text(std::string_view in, std::string_view out) {
    if (in.empty()) return {};
    return out.empty() || in == out ? std::string(in) : fmt::format("{}→{}", in, out);
}

std::string_view type_in(std::string_view argument) {
    const std::string_view type = number_type(argument);
    if (!type.empty()) return type;
    for (const std::string_view inner :  // "tuple<float_e4m3_t, float>": values and scales
         split_template_arguments(parse_cpp_name(argument).arguments))
        if (const std::string_view found = number_type(inner); !found.empty()) return found;
    return {};
}

// The first type among the arguments that can be an operand's type.
std::string_view first_type_in(std::span<const std::string_view> arguments) {
    for (const std::string_view argument : arguments) {
        const std::string_view type = type_in(argument);
        if (!type.empty() && type != "bool" && type != "i32" && type != "i64") return type;
    }
    return {};
}

// CollectiveMma<Mainloop<stages, cluster, schedule>, tile, A, stride of A, B, …>
std::string cutlass3_label(std::string_view name) {
    const Texts mma = arguments_of(name, "CollectiveMma<");
    if (mma.size() < 3) return {};
    const CppName mainloop = parse_cpp_name(mma[0]);
    std::vector<std::string> words{"GEMM"};
    if (name.find("GroupProblemShape") != std::string_view::npos) words[0] = "grouped GEMM";
    words.push_back(joined_by(numbers_of(mma[1]), "×"));
    const Texts epilogue = arguments_of(name, "CollectiveEpilogue<");
    std::string_view out;
    if (epilogue.size() > 1) out = first_type_in(std::span(epilogue).subspan(1));
    words.push_back(types_text(type_in(mma[2]), out));
    for (const std::string_view argument : split_template_arguments(mainloop.arguments)) {
        if (is_number(argument) && words.size() == 3)
            words.push_back(fmt::format("{}-stage", argument));
        else if (const Texts cluster = numbers_of(argument); cluster.size() == 3)
            words.push_back(fmt::format("cluster {}", joined_by(std::span(cluster).first(2), "×")));
    }
    for (const auto& [sign, word] :
         {std::pair("Pingpong", "pingpong"), std::pair("Cooperative", "coop"),
          std::pair("BlockScaled", "block-scaled"), std::pair("FP8FastAccum", "fast-accum")})
        if (name.find(sign) != std::string_view::npos) words.emplace_back(word);
    std::string library = "cutlass";
    if (const std::size_t sm = mainloop.function.find("Sm"); sm != std::string_view::npos)
        for (std::size_t i = sm + 2; i < mainloop.function.size(); ++i) {
            if (!is_number(mainloop.function.substr(i, 1))) break;
            library += (i == sm + 2 ? " sm" : "") + std::string(1, mainloop.function[i]);
        }
    words.push_back(library);
    return label_of_words(words);
}

// ImplicitGemmConvolution<…GemmShape<128, 256, 64>, Conv2dFprop…>, GemmUniversal<…GemmShape<…>…>
std::string cutlass2_label(std::string_view name) {
    const Texts tile = arguments_of(name, "GemmShape<");
    if (tile.size() != 3) return {};
    std::vector<std::string> words{"GEMM"};
    for (const auto& [sign, what] :
         {std::pair("Fprop", "conv fprop"), std::pair("Dgrad", "conv dgrad"),
          std::pair("Wgrad", "conv wgrad"), std::pair("Grouped", "grouped GEMM")})
        if (name.find(sign) != std::string_view::npos) words[0] = what;
    words.push_back(joined_by(tile, "×"));
    for (const std::string_view type :
         {"bfloat16_t", "half_t", "tfloat32_t", "float_e4m3_t", "int8_t"})
        if (name.find(type) != std::string_view::npos) {
            words.emplace_back(number_type(type));
            break;
        }
    words.emplace_back("cutlass");
    return label_of_words(words);
}

// GridwiseGemm…<layouts, types, operators, specialisation, block size, M, N, K, …>
std::string ck_label(std::string_view name) {
    const Texts gemm = arguments_of(name, "Gridwise");
    Texts sizes;
    for (const std::string_view argument : gemm)
        if (is_number(argument)) sizes.push_back(argument);
    if (sizes.size() < 4) return {};
    std::vector<std::string> words{"GEMM", joined_by(std::span(sizes).subspan(1, 3), "×"),
                                   std::string(first_type_in(gemm))};
    std::string order;
    for (const std::string_view argument : gemm)
        if (order.size() < 2 && argument.find("tensor_layout") != std::string_view::npos)
            order += argument.ends_with("RowMajor") ? 'T' : 'N';
    words.push_back(order);
    words.emplace_back("ck");
    return label_of_words(words);
}

}  // namespace

std::string templated_matrix_label(std::string_view name) {
    if (name.find("CollectiveMma<") != std::string_view::npos) return cutlass3_label(name);
    if (name.starts_with("ck::") && name.find("Gridwise") != std::string_view::npos)
        return ck_label(name);
    if (name.find("reduction::") != std::string_view::npos ||
        name.find("AttentionKernel") != std::string_view::npos)
        return {};
    if (name.find("cutlass") != std::string_view::npos &&
        name.find("GemmShape<") != std::string_view::npos)
        return cutlass2_label(name);
    return {};
}

}  // namespace lanescope
