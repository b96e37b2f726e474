#include "core/export/words/terminal_text.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace lanescope {

namespace {

constexpr char32_t kBroken = 0xFFFD;

struct Decoded {
    char32_t code = kBroken;
    std::size_t bytes = 1;
};

// Decodes the first character of a text that is not empty. An invalid byte counts as a character.
Decoded decode(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    if (lead < 0x80) return {lead, 1};
    std::size_t bytes = 0;
    char32_t code = 0;
    if (lead >= 0xC2 && lead < 0xE0) {
        bytes = 2;
        code = lead & 0x1FU;
    } else if (lead >= 0xE0 && lead < 0xF0) {
        bytes = 3;
        code = lead & 0x0FU;
    } else if (lead >= 0xF0 && lead < 0xF5) {
        bytes = 4;
        code = lead & 0x07U;
    }
    if (bytes == 0 || text.size() < bytes) return {};
    for (std::size_t i = 1; i < bytes; ++i) {
        const auto next = static_cast<unsigned char>(text[i]);
        if ((next & 0xC0U) != 0x80) return {};
        code = (code << 6) | (next & 0x3FU);
    }
    constexpr std::array<char32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xD800 && code < 0xE000;
    if (code < smallest[bytes] || code > 0x10FFFF || surrogate) return {};
    return {code, bytes};
}

struct CodeRange {
    char32_t first;
    char32_t last;
};

template <std::size_t N>
bool among(const std::array<CodeRange, N>& ranges, char32_t code) {
    return std::any_of(ranges.begin(), ranges.end(),
                       [&](const CodeRange& r) { return code >= r.first && code <= r.last; });
}

// Sufficient for names in files: the blocks of Unicode's East Asian Width "W" and "F", and
// combining marks.
constexpr std::array<CodeRange, 9> kWide = {{{0x1100, 0x115F},
                                             {0x2E80, 0x303E},
                                             {0x3041, 0xA4CF},
                                             {0xAC00, 0xD7A3},
                                             {0xF900, 0xFAFF},
                                             {0xFE30, 0xFE6F},
                                             {0xFF00, 0xFF60},
                                             {0x1F300, 0x1FAFF},
                                             {0x20000, 0x3FFFD}}};
constexpr std::array<CodeRange, 5> kZeroWidth = {
    {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0x1AB0, 0x1AFF}}};

std::size_t width_of(char32_t code) {
    if (among(kZeroWidth, code)) return 0;
    return among(kWide, code) ? 2 : 1;
}

}  // namespace

std::size_t terminal_width(std::string_view text) {
    std::size_t width = 0;
    while (!text.empty()) {
        const Decoded next = decode(text);
        width += width_of(next.code);
        text.remove_prefix(next.bytes);
    }
    return width;
}

std::string cut_to_width(std::string_view text, std::size_t width) {
    if (terminal_width(text) <= width) return std::string(text);
    if (width == 0) return "";
    std::size_t used = 0;
    std::size_t end = 0;
    while (end < text.size()) {
        const Decoded next = decode(text.substr(end));
        if (used + width_of(next.code) > width - 1) break;
        used += width_of(next.code);
        end += next.bytes;
    }
    return std::string(text.substr(0, end)) + "…";
}

std::string cut_middle_to_width(std::string_view text, std::size_t width) {
    constexpr std::size_t kMinWidth = 12;  // below this, the beginning says more
    if (terminal_width(text) <= width || width < kMinWidth) return cut_to_width(text, width);
    // The beginning, which says what it is, has two thirds.
    const std::size_t tail_width = (width - 1) / 3;
    std::size_t rest = terminal_width(text);
    std::string_view tail = text;
    while (rest > tail_width) {
        const Decoded next = decode(tail);
        rest -= width_of(next.code);
        tail.remove_prefix(next.bytes);
    }
    return cut_to_width(text, width - rest) + std::string(tail);
}

std::vector<std::string> wrap_to_width(std::string_view text, std::size_t width) {
    std::vector<std::string> lines = {""};
    while (!text.empty()) {
        const std::size_t word_end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, word_end);
        std::string& last = lines.back();
        if (!last.empty() && terminal_width(last) + 1 + terminal_width(word) > width)
            lines.emplace_back(word);
        else
            last += (last.empty() ? "" : " ") + std::string(word);
        text.remove_prefix(std::min(word_end + 1, text.size()));
    }
    return lines;
}

std::string pad_right(std::string_view text, std::size_t width) {
    const std::size_t used = terminal_width(text);
    return std::string(text) + std::string(used < width ? width - used : 0, ' ');
}

std::string pad_left(std::string_view text, std::size_t width) {
    const std::size_t used = terminal_width(text);
    return std::string(used < width ? width - used : 0, ' ') + std::string(text);
}

}  // namespace lanescope
