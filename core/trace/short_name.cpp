#include "core/trace/short_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/format.h"
#include "core/trace/cpp_name.h"
#include "core/trace/demangle.h"
#include "core/trace/kernel_label.h"

namespace lanescope {

namespace {

constexpr std::string_view kModulePrefix = "nn.Module: ";
constexpr std::string_view kAnonymous = "(anonymous namespace)";

// CUTLASS and ck_tile have one function for all their kernels; the template argument identifies the
// kernel. "void cutlass::Kernel2<cutlass_80_gemm_64x64>(…)" → "cutlass_80_gemm_64x64"
std::string_view argument_of_cutlass(std::string_view name) {
    for (const std::string_view head :
         {"cutlass::Kernel2<", "cutlass::Kernel<", "ck_tile::kentry<1, "}) {
        const std::size_t at = name.find(head);
        if (at == std::string_view::npos) continue;
        const std::string_view rest = name.substr(at + head.size());
        const std::string_view argument = rest.substr(0, rest.find_first_of("<>,"));
        const std::size_t space = argument.rfind("::");
        return space == std::string_view::npos ? argument : argument.substr(space + 2);
    }
    return {};
}

// "void at::native::(anonymous namespace)::f<float, 4>(int)" → "f"
std::string_view function_of(std::string_view name) {
    std::size_t begin = 0;
    std::size_t end = name.size();
    int depth = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (depth == 0 && name.substr(i).starts_with(kAnonymous)) {
            i += kAnonymous.size() - 1;
            continue;
        }
        const char c = name[i];
        if (c == '(' && depth == 0) {
            // "Memcpy DtoH (Device -> Pageable)" is not a signature.
            if (i > 0 && name[i - 1] == ' ') return name;
            end = std::min(end, i);
            break;
        }
        if (c == '<') {
            if (depth++ == 0 && i > begin) end = i;
        } else if (c == '>') {
            depth = std::max(0, depth - 1);
        } else if (depth == 0 && (c == ' ' || name.substr(i).starts_with("::"))) {
            // A return type or namespace ends here; the function's name is still to come.
            begin = c == ' ' ? i + 1 : i + 2;
            end = name.size();
            if (c == ':') ++i;
        }
    }
    return begin < end ? name.substr(begin, end - begin) : name;
}

bool of_identifier(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The first "(" outside of template arguments; npos: there is none.
std::size_t parameters_begin(std::string_view name) {
    int depth = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (name.substr(i).starts_with(kAnonymous)) {
            i += kAnonymous.size() - 1;
            continue;
        }
        if (name[i] == '(' && depth == 0) return i;
        depth += name[i] == '<' ? 1 : name[i] == '>' ? -1 : 0;
    }
    return std::string_view::npos;
}

// Whether the parenthesis at `begin` can open the parameters of a C++ function. False for
// "execute_context_0(0)_generation_8(8)" and "loss(step=3)".
bool are_parameters(std::string_view name, std::size_t begin) {
    std::size_t end = begin;
    for (int depth = 0; end < name.size(); ++end) {
        depth += name[end] == '(' ? 1 : name[end] == ')' ? -1 : 0;
        if (depth == 0) break;
    }
    if (end + 1 < name.size() && of_identifier(name[end + 1])) return false;
    const std::string_view inside = name.substr(begin + 1, end - begin - 1);
    return inside.find('=') == std::string_view::npos &&
           (inside.empty() || inside.find_first_not_of("0123456789") != std::string_view::npos);
}

bool is_signature(std::string_view name) {
    if (name.find("): ") != std::string_view::npos) return false;  // "module.py(12): <lambda>"
    if (name.starts_with("void ")) return true;
    if (name.find('<') == std::string_view::npos && !name.ends_with(')')) return false;
    const std::size_t begin = parameters_begin(name);
    return begin == std::string_view::npos || are_parameters(name, begin);
}

// Names of one word that only kernels have.
bool is_library_kernel(std::string_view name) {
    constexpr std::array<std::string_view, 14> kHeads = {
        "Cijk_",  "nvjet_", "ampere_", "volta_",  "turing_", "maxwell_",   "hopper_",
        "igemm_", "bmm_",   "fmha",    "cutlass", "cudnn_",  "sm80_xmma_", "sm90_xmma_"};
    return std::ranges::any_of(kHeads,
                               [&](std::string_view head) { return name.starts_with(head); });
}

// Removes the namespace or class at the end of `text`: an identifier with its template arguments,
// or the anonymous namespace.
void drop_scope(std::string& text) {
    if (text.ends_with(kAnonymous)) {
        text.resize(text.size() - kAnonymous.size());
        return;
    }
    std::size_t begin = text.size();
    if (begin > 0 && text[begin - 1] == '>') {
        int depth = 0;
        while (begin > 0) {
            const char c = text[--begin];
            depth += c == '>' ? 1 : c == '<' ? -1 : 0;
            if (depth == 0) break;
        }
    }
    while (begin > 0 && of_identifier(text[begin - 1])) --begin;
    text.resize(begin);
}

}  // namespace

std::string compact_name(std::string_view name) {
    if (name.starts_with("void ") || is_library_kernel(name)) return kernel_label(name);
    if (name.starts_with("_Z")) {
        const std::string plain = demangled(name);
        return plain.starts_with("_Z") ? kernel_label(name) : compact_name(plain);
    }
    if (!is_signature(name) || function_of(name) == name) return std::string(name);
    std::string text;
    int depth = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const char c = name[i];
        if (name.substr(i).starts_with(kAnonymous)) {
            text += kAnonymous;
            i += kAnonymous.size() - 1;
        } else if (name.substr(i).starts_with("::")) {
            drop_scope(text);
            ++i;
        } else if (c == '(' && depth == 0) {
            break;
        } else if (c == ' ' && depth == 0) {
            text.clear();  // that was the return type
        } else if (c != ' ' || !text.ends_with('>') || i + 1 == name.size() ||
                   name[i + 1] != '>') {  // older compilers write "> >" for ">>"
            depth += c == '<' ? 1 : c == '>' ? -1 : 0;
            text += c;
        }
    }
    return text.empty() ? std::string(name) : text;
}

std::string_view short_name(std::string_view name, EventClass event_class) {
    switch (event_class) {
        case EventClass::kernel:
        case EventClass::communication:
            if (name.starts_with("_Z")) return function_of_symbol(name);
            if (const std::string_view argument = argument_of_cutlass(name); !argument.empty())
                return argument;
            return is_signature(name) ? function_of(name) : name;
        case EventClass::module:
            return name.starts_with(kModulePrefix) ? name.substr(kModulePrefix.size()) : name;
        default:
            return name;
    }
}

std::string_view short_name(const Trace& trace, SliceRef slice) {
    return short_name(trace.name(slice), trace.event_class(slice));
}

std::string format_counter(const Trace& trace, LaneId lane, double value) {
    const std::string_view name = trace.strings[trace.lanes[lane].name];
    const bool bytes = name.starts_with("memory ") || name.ends_with(" · bytes");
    if (bytes && std::abs(value) < 9e18) return format_bytes(static_cast<int64_t>(value));
    for (const std::string_view unit : {"%", "MHz", "W", "°C"})
        if (name.ends_with(fmt::format(" · {}", unit)))
            return fmt::format("{} {}", format_number(value), unit);
    return format_number(value, 6);
}

std::string brief_name(std::string_view name) {
    constexpr std::size_t max_length = 60;
    constexpr std::size_t end = 18;
    if (name.size() <= max_length) return std::string(name);
    const std::size_t before = character_at(name, max_length - end - 3);
    const std::size_t after = character_at(name, name.size() - end);
    return std::string(name.substr(0, before)) + "…" + std::string(name.substr(after));
}

}  // namespace lanescope
