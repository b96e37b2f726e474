// Parses C++ function names, as demanglers and profilers write them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope {

// "void at::native::reduce_kernel<512, 1, F>(F)"
struct CppName {
    std::string_view path;       // "at::native::reduce_kernel<512, 1, F>"
    std::string_view scope;      // the innermost namespace or class: "native"; empty: none
    std::string_view function;   // "reduce_kernel"
    std::string_view arguments;  // template arguments: "512, 1, F"; empty: none
};

// Bytes; longer than any compiler's names. Longer names are not parsed, and stay unchanged.
inline constexpr std::size_t kLongestName = 16384;

// The result refers to `name`. Omits return type and parameters. A name that is not a function is
// its own function.
CppName parse_cpp_name(std::string_view name);

// "int, F<int, 2>, 4" → "int", "F<int, 2>", "4"
std::vector<std::string_view> split_template_arguments(std::string_view arguments);

// A spelling that is the same for all compilers and profilers: "(int)4" → "4", "(bool)1" → "true",
// "<unnamed>" → "(anonymous namespace)", "[lambda(int) (instance 1)]" → "{lambda(int)#1}".
// Demangles mangled names.
std::string plain_cpp_name(std::string_view name);

// The function of a symbol, without demangling: "_ZN2at6native4normIfEEvPT_" → "norm". For
// ck_tile's generic function, the template argument, which identifies the kernel. Other texts are
// unchanged.
std::string_view function_of_symbol(std::string_view symbol);

// "c10::BFloat16" → "bf16", "long" → "i64", "cutlass::half_t" → "f16", "OpaqueType<2u>" → "2B";
// empty: not a numeric type.
std::string_view number_type(std::string_view type);

// A template argument without namespaces: "at::native::AddFunctor<float>" → "AddFunctor<f32>".
// Keeps nested arguments for `depth` levels.
std::string compact_argument(std::string_view argument, int depth);

}  // namespace lanescope
