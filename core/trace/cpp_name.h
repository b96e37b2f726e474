// The parts of a C++ function's name, as demanglers and profilers write it.
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
    std::string_view arguments;  // of the template: "512, 1, F"; empty: none
};

// Longer names than any compiler's, in bytes: they are not read as C++, and stay as they are.
inline constexpr std::size_t kLongestName = 16384;

// The result is part of `name`. Return type and parameters are left out; a name that is no function
// is its own function.
CppName parse_cpp_name(std::string_view name);

// "int, F<int, 2>, 4" → "int", "F<int, 2>", "4"
std::vector<std::string_view> split_template_arguments(std::string_view arguments);

// The same spelling for all compilers and profilers: "(int)4" → "4", "(bool)1" → "true",
// "<unnamed>" → "(anonymous namespace)", "[lambda(int) (instance 1)]" → "{lambda(int)#1}".
// Mangled names are demangled.
std::string plain_cpp_name(std::string_view name);

// The function of a symbol, "_ZN2at6native4normIfEEvPT_" → "norm", without demangling; of ck_tile's
// only function the template argument, which identifies the kernel; other texts as they are.
std::string_view function_of_symbol(std::string_view symbol);

// "c10::BFloat16" → "bf16", "long" → "i64", "cutlass::half_t" → "f16", "OpaqueType<2u>" → "2B";
// empty: no type of numbers.
std::string_view number_type(std::string_view type);

// An argument of a template without namespaces: "at::native::AddFunctor<float>" →
// "AddFunctor<f32>". Arguments of its own are kept for `depth` levels.
std::string compact_argument(std::string_view argument, int depth);

}  // namespace lanescope
