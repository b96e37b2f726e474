#include "core/ingest/json/text_repair.h"

#include <charconv>
#include <cstdint>

#include "core/base/utf8.h"

namespace lanescope {

namespace {

// The four hex digits at text[i]; -1 if they are invalid.
int32_t hex4(std::string_view text, std::size_t i) {
    if (i + 4 > text.size()) return -1;
    uint32_t value = 0;
    const auto [stop, code] = std::from_chars(text.data() + i, text.data() + i + 4, value, 16);
    return code == std::errc() && stop == text.data() + i + 4 ? static_cast<int32_t>(value) : -1;
}

// Resolves the escape at text[i] (a backslash) and returns its length.
std::size_t append_escape(std::string& out, std::string_view text, std::size_t i) {
    if (i + 1 >= text.size()) {
        out += '\\';
        return 1;
    }
    switch (text[i + 1]) {
        case 'n':
            out += '\n';
            return 2;
        case 't':
            out += '\t';
            return 2;
        case 'r':
            out += '\r';
            return 2;
        case 'b':
            out += '\b';
            return 2;
        case 'f':
            out += '\f';
            return 2;
        case '"':
        case '\\':
        case '/':
            out += text[i + 1];
            return 2;
        case 'u':
            break;
        default:
            out += '\\';
            return 1;
    }
    const int32_t unit = hex4(text, i + 2);
    if (unit < 0) {
        out += '\\';
        return 1;
    }
    if (unit < 0xD800 || unit > 0xDFFF) {
        append_utf8(out, static_cast<uint32_t>(unit));
        return 6;
    }
    const bool has_low =
        unit < 0xDC00 && i + 7 < text.size() && text[i + 6] == '\\' && text[i + 7] == 'u';
    const int32_t low = has_low ? hex4(text, i + 8) : -1;
    if (low < 0xDC00 || low > 0xDFFF) {
        append_utf8(out, 0xFFFD);
        return 6;
    }
    append_utf8(out, 0x10000 + ((static_cast<uint32_t>(unit) - 0xD800) << 10) +
                         (static_cast<uint32_t>(low) - 0xDC00));
    return 12;
}

}  // namespace

bool is_clean_text(std::string_view raw) {
    for (std::size_t i = 0; i < raw.size();) {
        if (raw[i] == '\\') return false;
        const std::size_t length = utf8_length(raw, i);
        if (length == 0) return false;
        i += length;
    }
    return true;
}

std::string repair_text(std::string_view raw) {
    std::string out;
    out.reserve(raw.size());
    for (std::size_t i = 0; i < raw.size();)
        i += raw[i] == '\\' ? append_escape(out, raw, i) : append_utf8_at(out, raw, i);
    return out;
}

}  // namespace lanescope
