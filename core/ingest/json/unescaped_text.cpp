#include "core/ingest/json/unescaped_text.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace lanescope {

namespace {

constexpr std::size_t kLongest = std::size_t{16} << 10;  // bytes of a name
// Bytes; limits the cost of broken text.
constexpr std::size_t kLongestEvent = std::size_t{64} << 10;
constexpr int kMostQuotes = 64;

// Members that show whether an event is valid.
struct Members {
    bool is_complete = false;  // the phase is X
    bool has_phase = false;
    bool has_time = false;
    bool has_duration = false;
    bool has_name_twice = false;

    // Takes a member and moves past its value. False: the value is incomplete.
    bool take(JsonCursor& at, std::string_view key) {
        std::string_view raw;
        if (!at.read_value(raw) || raw.empty()) return false;
        if (key == "ph") {
            has_phase = true;
            is_complete = without_quotes(raw) == "X";
        }
        has_time |= key == "ts";
        has_duration |= key == "dur";
        has_name_twice |= key == "name";
        return true;
    }
    bool are_sound() const {
        return has_phase && !has_name_twice && (!is_complete || (has_time && has_duration));
    }
};

// Reads the members after a value, up to the end of the event. False: the event is incomplete, or
// the text ends.
bool read_rest(JsonCursor& at, Members& members) {
    for (;;) {
        at.skip_space();
        if (at.at_end()) return false;
        if (*at.p == '}') {
            ++at.p;
            return true;
        }
        if (*at.p != ',') return false;
        ++at.p;
        at.skip_space();
        if (at.at_end() || *at.p != '"') return false;
        ++at.p;
        std::string_view key;
        if (!at.read_string(key)) return false;
        at.skip_space();
        if (at.at_end() || *at.p != ':') return false;
        ++at.p;
        at.skip_space();
        if (at.at_end() || !members.take(at, key)) return false;
    }
}

// Whether another event or the end of the list follows.
UnescapedText judge_next(JsonCursor at) {
    const auto skip = [&] {
        at.skip_space();
        return !at.at_end();
    };
    if (!skip()) return UnescapedText::cut;
    const char separator = *at.p++;
    if (separator == ',') {
        for (const char c : {'{', '"'}) {
            if (!skip()) return UnescapedText::cut;
            if (*at.p++ != c) return UnescapedText::none;
        }
        std::string_view key;
        if (!at.read_string(key)) return UnescapedText::cut;
        return is_member_name(key) ? UnescapedText::whole : UnescapedText::none;
    }
    if (separator != ']') return UnescapedText::none;
    if (!skip()) return UnescapedText::whole;
    const char end = *at.p++;
    if (end == ',') return !skip() || *at.p == '"' ? UnescapedText::whole : UnescapedText::none;
    return end == '}' && !skip() ? UnescapedText::whole : UnescapedText::none;
}

// Whether the event is valid if its name ends before `at`.
UnescapedText judge(JsonCursor at, Members members) {
    if (!read_rest(at, members)) return at.at_end() ? UnescapedText::cut : UnescapedText::none;
    return members.are_sound() ? judge_next(at) : UnescapedText::none;
}

// Finds the end of a name, starting after its opening quote.
UnescapedText find_end(const JsonCursor& begin, const Members& before, std::string_view& name) {
    const auto length = static_cast<std::size_t>(begin.end - begin.p);
    const std::string_view text(begin.p, std::min(length, kLongest));
    int quotes = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\') {
            ++i;
            continue;
        }
        // A name never continues on the next line, even if its closing quote is missing.
        if (static_cast<unsigned char>(text[i]) < 0x20) return UnescapedText::none;
        if (text[i] != '"') continue;
        if (++quotes > kMostQuotes) return UnescapedText::none;
        const UnescapedText judged = judge({text.data() + i + 1, begin.end}, before);
        if (judged == UnescapedText::none) continue;
        if (judged == UnescapedText::whole) name = text.substr(0, i);
        return judged;
    }
    return length < kLongest ? UnescapedText::cut : UnescapedText::none;
}

}  // namespace

bool is_member_name(std::string_view name) {
    constexpr std::array<std::string_view, 13> names = {
        "ph", "cat", "name", "pid", "tid", "ts", "dur", "args", "id", "bp", "id2", "s", "tts"};
    return std::ranges::find(names, name) != names.end();
}

UnescapedText find_unescaped_name(const JsonCursor& event, std::string_view& name) {
    const auto length = static_cast<std::size_t>(event.end - event.p);
    JsonCursor at{event.p, event.p + std::min(length, kLongestEvent)};
    Members before;
    UnescapedText found = UnescapedText::none;
    read_members(at, [&](std::string_view key) {
        if (key != "name" || *at.p != '"') return before.take(at, key);
        ++at.p;
        found = find_end(at, before, name);
        return false;
    });
    // A name that reaches the limit has no end, so more text would not help.
    return found == UnescapedText::cut && length > kLongestEvent ? UnescapedText::none : found;
}

}  // namespace lanescope
