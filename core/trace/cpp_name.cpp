#include "core/trace/cpp_name.h"

#include <algorithm>
#include <array>

#include "core/trace/demangle.h"

namespace lanescope {

namespace {

constexpr std::string_view kNameless = "(anonymous namespace)";

// Deeper brackets are not parsed.
constexpr int kDeepest = 256;

// The position after the bracket that closes the bracket at `at`. Comparison operators occur only
// within parentheses.
std::size_t after_bracket(std::string_view text, std::size_t at, int depth = 0) {
    if (depth == kDeepest) return text.size();
    const char open = text[at];
    const char close = open == '<' ? '>' : open == '(' ? ')' : '}';
    std::size_t i = at + 1;
    while (i < text.size()) {
        const char c = text[i];
        if (c == close && !(c == '>' && text[i - 1] == '-')) return i + 1;
        if (c == '(' || c == '{' || (c == '<' && open == '<'))
            i = after_bracket(text, i, depth + 1);
        else
            ++i;
    }
    return text.size();
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_literal(std::string_view text) {
    const std::size_t digit = text.starts_with('-') ? 1 : 0;
    return digit < text.size() && is_digit(text[digit]);
}

std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

void replace_each(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
        text.replace(at, from.size(), to);
        at += to.size();
    }
}

// "(int)4" → "4". A "(int)" may also be a parameter list.
void drop_casts(std::string& text) {
    for (const std::string_view cast :
         {"(int)", "(unsigned int)", "(long)", "(unsigned long)", "(short)", "(char)"})
        for (std::size_t at = text.find(cast); at != std::string::npos; at = text.find(cast, at)) {
            const std::size_t after = at + cast.size();
            if (after < text.size() && (text[after] == '-' || is_digit(text[after])))
                text.erase(at, cast.size());
            else
                at = after;
        }
}

// "[lambda(int) (instance 1)]" → "{lambda(int)#1}"
void plain_lambdas(std::string& text) {
    constexpr std::string_view kInstance = " (instance ";
    for (std::size_t at = text.find(kInstance); at != std::string::npos;
         at = text.find(kInstance, at)) {
        const std::size_t end = text.find(")]", at);
        const std::size_t begin = text.rfind("[lambda", at);
        if (end == std::string::npos || begin == std::string::npos) return;
        text.replace(end, 2, "}");
        text.replace(at, kInstance.size(), "#");
        text[begin] = '{';
    }
}

struct NumberType {
    std::string_view type;  // without namespaces
    std::string_view brief;
};
constexpr std::array kNumberTypes = {
    NumberType{"float", "f32"},
    NumberType{"double", "f64"},
    NumberType{"int", "i32"},
    NumberType{"long", "i64"},
    NumberType{"long long", "i64"},
    NumberType{"short", "i16"},
    NumberType{"char", "i8"},
    NumberType{"signed char", "i8"},
    NumberType{"unsigned char", "u8"},
    NumberType{"unsigned short", "u16"},
    NumberType{"unsigned int", "u32"},
    NumberType{"unsigned", "u32"},
    NumberType{"unsigned long", "u64"},
    NumberType{"unsigned long long", "u64"},
    NumberType{"bool", "bool"},
    NumberType{"int8_t", "i8"},
    NumberType{"uint8_t", "u8"},
    NumberType{"int32_t", "i32"},
    NumberType{"int64_t", "i64"},
    NumberType{"BFloat16", "bf16"},
    NumberType{"bfloat16", "bf16"},
    NumberType{"bfloat16_t", "bf16"},
    NumberType{"__nv_bfloat16", "bf16"},
    NumberType{"__hip_bfloat16", "bf16"},
    NumberType{"__bf16", "bf16"},
    NumberType{"bhalf_t", "bf16"},
    NumberType{"Half", "f16"},
    NumberType{"half", "f16"},
    NumberType{"half_t", "f16"},
    NumberType{"__half", "f16"},
    NumberType{"_Float16", "f16"},
    NumberType{"tfloat32_t", "tf32"},
    NumberType{"float_e4m3_t", "e4m3"},
    NumberType{"Float8_e4m3fn", "e4m3"},
    NumberType{"Float8_e4m3fnuz", "e4m3"},
    NumberType{"__nv_fp8_e4m3", "e4m3"},
    NumberType{"fp8_t", "e4m3"},
    NumberType{"f8_t", "e4m3"},
    NumberType{"float_e5m2_t", "e5m2"},
    NumberType{"Float8_e5m2", "e5m2"},
    NumberType{"__nv_fp8_e5m2", "e5m2"},
    NumberType{"bf8_t", "e5m2"},
    NumberType{"float_e2m1_t", "e2m1"},
    NumberType{"__nv_fp4_e2m1", "e2m1"},
    NumberType{"OpaqueType<1>", "1B"},
    NumberType{"OpaqueType<2>", "2B"},
    NumberType{"OpaqueType<4>", "4B"},
    NumberType{"OpaqueType<8>", "8B"},
    NumberType{"OpaqueType<16>", "16B"},
    NumberType{"OpaqueType<1u>", "1B"},
    NumberType{"OpaqueType<2u>", "2B"},
    NumberType{"OpaqueType<4u>", "4B"},
    NumberType{"OpaqueType<8u>", "8B"},
    NumberType{"OpaqueType<16u>", "16B"},
    NumberType{"complex<float>", "c64"},
    NumberType{"complex<double>", "c128"},
};

// The position after the last "::" outside of brackets.
std::size_t last_part(std::string_view text) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] == '<' || text[i] == '(' || text[i] == '{')
            i = after_bracket(text, i);
        else if (text.substr(i).starts_with("::"))
            begin = i += 2;
        else
            ++i;
    }
    return begin;
}

}  // namespace

CppName parse_cpp_name(std::string_view name) {
    CppName parts;
    std::size_t begin = 0;  // start of the path
    std::size_t part = 0;   // start of the current part of the path
    std::size_t part_end = 0;
    std::size_t i = 0;
    const auto start_at = [&](std::size_t at) {
        part = part_end = i = at;
        parts.arguments = {};
    };
    while (i < name.size()) {
        if (name.substr(i).starts_with(kNameless)) {
            i += kNameless.size();
            part_end = i;
        } else if (name[i] == '(' || name[i] == ',' || name[i] == '>' ||
                   name.substr(i).starts_with(" >")) {
            break;
        } else if (name[i] == '<') {
            const std::size_t after = after_bracket(name, i);
            parts.arguments = trimmed(name.substr(i + 1, after > i + 2 ? after - i - 2 : 0));
            i = after;
        } else if (name[i] == ' ') {  // end of the return type
            begin = i + 1;
            parts.scope = {};
            start_at(i + 1);
        } else if (name.substr(i).starts_with("::")) {
            const std::string_view scope = name.substr(part, part_end - part);
            if (scope != kNameless) parts.scope = scope;
            start_at(i + 2);
        } else {
            part_end = ++i;
        }
    }
    parts.path = name.substr(begin, i - begin);
    parts.function = name.substr(part, part_end - part);
    return parts;
}

std::vector<std::string_view> split_template_arguments(std::string_view arguments) {
    std::vector<std::string_view> list;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < arguments.size();) {
        if (arguments[i] == '<' || arguments[i] == '(' || arguments[i] == '{') {
            i = after_bracket(arguments, i);
        } else if (arguments[i] == ',') {
            list.push_back(trimmed(arguments.substr(begin, i - begin)));
            begin = ++i;
        } else {
            ++i;
        }
    }
    if (const std::string_view last = trimmed(arguments.substr(begin)); !last.empty())
        list.push_back(last);
    return list;
}

std::string plain_cpp_name(std::string_view name) {
    if (name.size() > kLongestName) return std::string(name);
    std::string plain = demangled(name);
    if (plain.size() > kLongestName) return std::string(name);
    drop_casts(plain);
    replace_each(plain, "(bool)0", "false");
    replace_each(plain, "(bool)1", "true");
    replace_each(plain, "<unnamed>", kNameless);
    replace_each(plain, "operator ()", "operator()");
    plain_lambdas(plain);
    return plain;
}

std::string_view number_type(std::string_view type) {
    type = trimmed(type);
    if (type.starts_with("const ")) type.remove_prefix(6);
    while (type.ends_with('*') || type.ends_with('&') || type.ends_with(' ')) type.remove_suffix(1);
    if (type.ends_with(" const")) type.remove_suffix(6);
    type = type.substr(last_part(type));
    const auto found = std::ranges::find(kNumberTypes, type, &NumberType::type);
    return found == kNumberTypes.end() ? std::string_view() : found->brief;
}

std::string compact_argument(std::string_view argument, int depth) {
    argument = trimmed(argument);
    if (const std::string_view type = number_type(argument); !type.empty())
        return std::string(type);
    if (argument.starts_with('(') && !argument.starts_with(kNameless)) {  // "(Kind)3"
        const std::string_view value = argument.substr(after_bracket(argument, 0));
        if (is_literal(value)) argument = value;
    }
    if (is_literal(argument)) {
        while (argument.ends_with('u') || argument.ends_with('l')) argument.remove_suffix(1);
        return std::string(argument);
    }
    if (argument.starts_with('&')) {  // "&(float silu<float>(float const&))": a function
        argument.remove_prefix(1);
        if (argument.starts_with('(')) argument.remove_prefix(1);
    }
    if (argument == "decltype(nullptr)") return "nullptr";
    const CppName parts = parse_cpp_name(argument);
    std::string text(parts.function == "operator" ? parts.scope : parts.function);
    if (text.empty()) return std::string(argument);
    if (depth > 0 && !parts.arguments.empty()) {
        text += '<';
        bool first = true;
        for (const std::string_view inner : split_template_arguments(parts.arguments)) {
            text += first ? "" : ", ";
            text += compact_argument(inner, depth - 1);
            first = false;
        }
        text += '>';
    }
    return text;
}

std::string_view function_of_symbol(std::string_view symbol) {
    std::string_view rest = symbol;
    rest.remove_prefix(2);  // "_Z"
    if (rest.starts_with('N')) rest.remove_prefix(1);
    std::string_view found;
    std::string_view before;
    const auto take = [&] {  // "4norm"
        std::size_t length = 0;
        std::size_t digits = 0;
        while (digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9' && digits < 5)
            length = length * 10 + static_cast<std::size_t>(rest[digits++] - '0');
        if (length == 0 || digits + length > rest.size()) return false;
        before = found;
        found = rest.substr(digits, length);
        rest.remove_prefix(digits + length);
        return true;
    };
    while (take()) {
    }
    if (before == "ck_tile" && found == "kentry") {
        const std::size_t argument = rest.find("NS_");
        if (argument != std::string_view::npos) {
            rest.remove_prefix(argument + 3);
            take();
        }
    }
    return found.empty() || found.starts_with("_GLOBAL__N") ? symbol : found;
}

}  // namespace lanescope
