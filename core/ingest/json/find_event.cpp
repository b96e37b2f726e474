// Finds the next event in text that is not read from its beginning, or is damaged.
#include <algorithm>

#include "core/ingest/json/json_scanner.h"
#include "core/ingest/json/unescaped_text.h"

namespace lanescope {

namespace {

constexpr std::size_t kMaxProbe = std::size_t{64} << 10;

}  // namespace

std::size_t find_event(const char* text, std::size_t from, std::size_t size) {
    std::size_t i = from;
    while (i < size) {
        const auto* close = static_cast<const char*>(std::memchr(text + i, '}', size - i));
        if (!close) return size;
        i = static_cast<std::size_t>(close - text) + 1;
        std::size_t at = i;
        const auto skip = [&] {
            while (at < size && is_blank(text[at])) ++at;
            return at < size;
        };
        if (!skip() || text[at] != ',') continue;
        ++at;
        if (!skip() || text[at] != '{') continue;
        ++at;
        if (!skip() || text[at] != '"') continue;
        const std::size_t name = ++at;
        while (at < size && at < name + 5 && text[at] != '"') ++at;
        if (at < size && text[at] == '"' && is_member_name({text + name, at - name})) return i;
    }
    return size;
}

std::size_t JsonScanner::next_event(std::string_view text, std::size_t from, bool last) {
    for (;;) {
        const std::size_t guess = find_event(text.data(), from, text.size());
        if (guess == text.size()) return guess;
        const std::size_t open = text.find('{', guess);
        JsonCursor at{text.data() + open, text.data() + std::min(text.size(), open + kMaxProbe)};
        bool has_phase = false;
        const bool whole = read_members(at, [&](std::string_view name) {
            std::string_view raw;
            has_phase |= name == "ph";
            return at.read_value(raw) && !raw.empty();
        });
        if (whole && has_phase) return guess;
        if (!whole && !last && at.p >= text.data() + text.size()) return kUndecided;
        from = guess;
    }
}

}  // namespace lanescope
