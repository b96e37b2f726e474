#include "core/base/printable.h"

#include <cstddef>
#include <cstdint>

#include "core/base/utf8.h"

namespace lanescope {

namespace {

constexpr std::string_view kUnprintable = "\uFFFD";

// The code point of a valid character.
char32_t code_point(std::string_view character) {
    const auto lead = static_cast<unsigned char>(character[0]);
    if (character.size() == 1) return lead;
    char32_t code = lead & (0x7FU >> character.size());
    for (const char next : character.substr(1))
        code = code << 6 | (static_cast<unsigned char>(next) & 0x3FU);
    return code;
}

bool is_control(char32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x202A && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0x2028 || code == 0x2029;
}

void append_printable(std::string& out, std::string_view text, bool keeps_lines) {
    out.reserve(out.size() + text.size());
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t bytes = utf8_length(text, at);
        const std::string_view character = text.substr(at, bytes);
        at += bytes == 0 ? 1 : bytes;
        const bool stays =
            bytes > 0 && ((keeps_lines && character == "\n") || !is_control(code_point(character)));
        out += stays ? character : kUnprintable;
    }
}

}  // namespace

std::string printable(std::string_view text) {
    std::string out;
    append_printable(out, text, false);
    return out;
}

std::string printable_lines(std::string_view text) {
    std::string out;
    append_printable(out, text, true);
    return out;
}

}  // namespace lanescope
