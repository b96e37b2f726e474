#include "core/ingest/json/unescaped_text.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace lanescope {

namespace {

constexpr std::size_t kLongest = std::size_t{16} << 10;
constexpr std::size_t kLongestMemberName = 4;

std::size_t after_blanks(std::string_view text, std::size_t at) {
    while (at < text.size() && is_blank(text[at])) ++at;
    return at;
}

enum class Follows : uint8_t { event, other, unknown };

// Moves `at` behind blanks and this character.
Follows follows(std::string_view text, std::size_t& at, char c) {
    at = after_blanks(text, at);
    if (at >= text.size()) return Follows::unknown;
    return text[at++] == c ? Follows::event : Follows::other;
}

// Whether `text`, which follows a quote, continues or ends an event.
Follows continuation(std::string_view text) {
    std::size_t at = 0;
    if (follows(text, at, '}') == Follows::event) {
        at = after_blanks(text, at);
        if (at >= text.size()) return Follows::unknown;
        return text[at] == ',' || text[at] == ']' ? Follows::event : Follows::other;
    }
    at = 0;
    for (const char c : {',', '"'})
        if (const Follows next = follows(text, at, c); next != Follows::event) return next;
    const std::string_view name = text.substr(at, kLongestMemberName + 1);
    const std::size_t length = name.find('"');
    if (length == std::string_view::npos)
        return at + name.size() == text.size() ? Follows::unknown : Follows::other;
    if (!is_member_name(name.substr(0, length))) return Follows::other;
    at += length + 1;
    return follows(text, at, ':');
}

}  // namespace

bool is_member_name(std::string_view name) {
    constexpr std::array<std::string_view, 13> names = {
        "ph", "cat", "name", "pid", "tid", "ts", "dur", "args", "id", "bp", "id2", "s", "tts"};
    return std::ranges::find(names, name) != names.end();
}

UnescapedText read_unescaped_text(JsonCursor& at, std::string_view& text) {
    const std::string_view all(at.p, static_cast<std::size_t>(at.end - at.p));
    for (std::size_t i = 0; i < std::min(all.size(), kLongest); ++i) {
        if (all[i] == '\\') {
            ++i;
            continue;
        }
        if (all[i] != '"') continue;
        const Follows next = continuation(all.substr(i + 1));
        if (next == Follows::unknown) return UnescapedText::cut;
        if (next == Follows::other) continue;
        text = all.substr(0, i);
        at.p += i + 1;
        return UnescapedText::whole;
    }
    return all.size() < kLongest ? UnescapedText::cut : UnescapedText::none;
}

}  // namespace lanescope
