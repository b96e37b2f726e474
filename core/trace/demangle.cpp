#include "core/trace/demangle.h"

#include <cxxabi.h>

#include <cctype>
#include <cstdlib>
#include <memory>

namespace lanescope {

namespace {

// GCC 12's __cxa_demangle does not know DF16b, so it reads Dh instead: another built-in type, which
// compilers for GPUs do not use.
// Substitutions can make the name of a hostile symbol exponentially long.
constexpr std::size_t kLongest = 4096;
constexpr std::string_view kBfloat = "DF16b";
constexpr std::string_view kStandIn = "Dh";
constexpr std::string_view kStandInName = "half";

bool is_in_word(const std::string& text, std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) ||
                                text[at] == '_' || text[at] == ':');
}

void replace_all(std::string& text, std::string_view from, std::string_view to, bool words) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
        const bool inside =
            (at > 0 && is_in_word(text, at - 1)) || is_in_word(text, at + from.size());
        if (words && inside) {
            at += from.size();
            continue;
        }
        text.replace(at, from.size(), to);
        at += to.size();
    }
}

}  // namespace

std::string demangled(std::string_view symbol) {
    if (symbol.ends_with(".kd")) symbol.remove_suffix(3);
    if (const std::size_t clone = symbol.find(" [clone "); clone != std::string_view::npos)
        symbol = symbol.substr(0, clone);
    std::string plain(symbol);
    if (!symbol.starts_with("_Z") || symbol.size() > kLongest) return plain;
    std::string known = plain;
    replace_all(known, kBfloat, kStandIn, false);
    int failed = 0;
    const std::unique_ptr<char, void (*)(void*)> name(
        abi::__cxa_demangle(known.c_str(), nullptr, nullptr, &failed), std::free);
    if (failed != 0 || !name) return plain;
    std::string result = name.get();
    if (known != plain) replace_all(result, kStandInName, "__bf16", true);
    return result;
}

}  // namespace lanescope
