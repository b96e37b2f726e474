#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/trace/label_forms.h"

namespace lanescope {

namespace {

using Arguments = std::vector<std::string_view>;

struct Functor {
    std::string name;  // "direct_copy", "compare_eq"
    std::string type;  // type of the operands; empty: unknown
};

// "CompareEq" → "compare_eq"
std::string in_snake_case(std::string_view text) {
    const auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
    std::string snake;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (upper(text[i]) && i > 0 && !upper(text[i - 1]) && text[i - 1] != '_') snake += '_';
        snake += upper(text[i]) ? static_cast<char>(text[i] - 'A' + 'a') : text[i];
    }
    return snake;
}

// "direct_copy_kernel_cuda" → "direct_copy", "CUDAFunctor_add" → "add", "MeanOps" → "mean"
std::string bare_functor(std::string_view name) {
    constexpr std::string_view kOnSelf = "CUDAFunctorOnSelf_";
    if (name.starts_with(kOnSelf)) return std::string(name.substr(kOnSelf.size())) + "_scalar";
    constexpr std::string_view kOnOther = "CUDAFunctorOnOther_";
    if (name.starts_with(kOnOther)) return "scalar_" + std::string(name.substr(kOnOther.size()));
    for (const std::string_view head : {"CUDAFunctor_", "launch_"})
        if (name.starts_with(head)) name.remove_prefix(head.size());
    for (bool again = true; again;) {
        again = false;
        for (const std::string_view tail : {"_cuda", "_impl", "_kernel", "_functor", "_gpu",
                                            "Functor", "Ops", "Kernel", "Impl", "CUDA"})
            if (name.size() > tail.size() && name.ends_with(tail)) {
                name.remove_suffix(tail.size());
                again = true;
            }
    }
    while (name.starts_with('_')) name.remove_prefix(1);
    return in_snake_case(name);
}

// "…::{lambda(bool, float)#1}" → "f32": the first parameter type other than bool.
std::string type_of_lambda(std::string_view text) {
    constexpr std::string_view kLambda = "{lambda(";
    const std::size_t at = text.rfind(kLambda);
    if (at == std::string_view::npos) return {};
    const std::string_view rest = text.substr(at + kLambda.size());
    std::string_view found;
    for (const std::string_view type : split_template_arguments(rest.substr(0, rest.find(')')))) {
        const std::string_view brief = type.ends_with('*') ? "" : number_type(type);
        if (found.empty() || found == "bool") found = brief;
    }
    return std::string(found);
}

std::string first_type(const Arguments& arguments) {
    for (const std::string_view argument : arguments)
        if (const std::string_view type = number_type(argument); !type.empty())
            return std::string(type);
    return {};
}

// Limit on nested wrappers; beyond it, a wrapper counts as a functor.
constexpr int kMostWrappers = 8;

Functor functor_of(std::string_view text, int wrappers = 0) {
    const CppName parts = parse_cpp_name(text);
    const Arguments arguments = split_template_arguments(parts.arguments);
    const bool wraps = wrappers < kMostWrappers && !arguments.empty();
    for (const std::string_view wrapper :
         {"gpu_kernel_impl", "gpu_kernel_impl_nocast", "gpu_index_kernel", "func_wrapper_t"})
        if (wraps && parts.function == wrapper) {
            Functor inner = functor_of(arguments.back(), wrappers + 1);
            if (inner.type.empty()) inner.type = first_type(arguments);
            return inner;
        }
    for (const auto& [wrapper, form] :
         {std::pair("AUnaryFunctor", "scalar_{}"), std::pair("BUnaryFunctor", "{}_scalar"),
          std::pair("BinaryFunctor", "{}")})
        if (wraps && parts.function == wrapper) {
            const Functor inner = functor_of(arguments.back(), wrappers + 1);
            const std::string type = first_type(arguments);
            return {fmt::format(fmt::runtime(form), inner.name), type.empty() ? inner.type : type};
        }
    Functor functor;
    functor.name = bare_functor(parts.function == "operator" ? parts.scope : parts.function);
    functor.type = first_type(arguments);
    if (const std::string type = type_of_lambda(text);
        !type.empty() && !functor.type.ends_with('B'))
        functor.type = type;
    return functor;
}

std::string with_details(std::string_view head, const Functor& functor, std::string_view details) {
    std::string label = fmt::format("{}<{}", head, functor.name);
    if (!functor.type.empty()) label += ", " + functor.type;
    if (!details.empty()) label += fmt::format(", {}", details);
    return label + ">";
}

bool converts(std::string_view arguments) {
    return arguments.find("LoadWithCast") != std::string_view::npos;
}

std::string elementwise_label(const CppName& parts, const Arguments& arguments) {
    const auto at = [&](std::size_t i) {
        return i < arguments.size() ? arguments[i] : std::string_view();
    };
    if (parts.function.starts_with("vectorized_elementwise_kernel"))
        return with_details("elementwise", functor_of(at(1)), fmt::format("vec{}", at(0)));
    if (parts.function.starts_with("unrolled_elementwise_kernel"))
        return with_details("elementwise", functor_of(at(0)),
                            converts(parts.arguments) ? "unrolled cast" : "unrolled");
    if (parts.function == "elementwise_kernel_with_index")
        return with_details("elementwise", functor_of(at(1)), "index");
    if (parts.function == "index_elementwise_kernel")
        return with_details("elementwise", functor_of(at(2)), "by index");
    if (parts.function == "elementwise_kernel" || parts.function == "legacy_elementwise_kernel")
        return with_details("elementwise", functor_of(at(2)), "strided");
    if (parts.function == "elementwise_kernel_manual_unroll")
        return with_details("elementwise", functor_of(at(2)), "strided unrolled");
    return {};
}

// _scatter_gather_elementwise_kernel<128, 4, …internal_kernel<true, OpaqueType<4>>::operator()<
// TensorAssign>(…)::{lambda(int)#1}>: true if it scatters.
std::string scatter_label(std::string_view arguments) {
    constexpr std::string_view kOperator = "::operator()<";
    const std::size_t begin = arguments.find("internal_kernel<");
    const std::size_t end = arguments.find(kOperator);
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return {};
    const Arguments kind =
        split_template_arguments(parse_cpp_name(arguments.substr(begin, end - begin)).arguments);
    if (kind.size() < 2) return {};
    Functor functor;
    functor.type = number_type(kind[1]);
    functor.name = bare_functor(parse_cpp_name(arguments.substr(end + kOperator.size())).function);
    return with_details(kind[0] == "true" ? "scatter" : "gather", functor, {});
}

// reduce_kernel<512, 1, ReduceOp<float, MeanOps<…>, unsigned int, float, 4>>
std::string reduce_label(const Arguments& arguments) {
    if (arguments.size() < 3) return {};
    const Arguments op = split_template_arguments(parse_cpp_name(arguments[2]).arguments);
    if (op.size() < 4) return {};
    Functor functor = functor_of(op[1]);
    const std::string_view in = number_type(op[0]);
    const std::string_view out = number_type(op[3]);
    functor.type = in == out || out.empty() ? std::string(in) : fmt::format("{}→{}", in, out);
    return with_details("reduce", functor, fmt::format("{}×{}", arguments[0], arguments[1]));
}

// multi_tensor_apply_kernel<TensorListMetadata<2>, BinaryOpScalarFunctor<float, …>, std::plus<…>>
std::string list_label(const Arguments& arguments) {
    if (arguments.size() < 2) return {};
    Functor functor = functor_of(arguments[1]);
    for (std::size_t i = 2; i < arguments.size(); ++i) {
        if (arguments[i].find("::") == std::string_view::npos) continue;
        functor.name += " " + functor_of(arguments[i]).name;
        break;
    }
    const Arguments lists = split_template_arguments(parse_cpp_name(arguments[0]).arguments);
    return with_details("multi_tensor", functor,
                        lists.empty() ? std::string() : fmt::format("{} lists", lists.back()));
}

}  // namespace

std::string functor_label(const CppName& parts) {
    if (parts.arguments.empty()) return {};
    const Arguments arguments = split_template_arguments(parts.arguments);
    if (parts.function.find("scatter_gather_elementwise") != std::string_view::npos)
        return scatter_label(parts.arguments);
    if (parts.function.find("elementwise_kernel") != std::string_view::npos)
        return elementwise_label(parts, arguments);
    if (parts.function == "reduce_kernel") return reduce_label(arguments);
    if (parts.function == "multi_tensor_apply_kernel") return list_label(arguments);
    return {};
}

}  // namespace lanescope
