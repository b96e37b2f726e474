#include "core/ingest/perf_script/perf_lines.h"

#include <algorithm>
#include <vector>

namespace lanescope {

namespace {

constexpr std::size_t kMaxSecondsDigits = 10;
constexpr Nanos kMaxPerfSeconds = 4'000'000'000;  // limit of trace times, in seconds

bool is_blank_or_tab(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

bool is_digits(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_hex(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    });
}

// The next word at or after `at`; moves `at` past it. Empty: no further word.
std::string_view next_word(std::string_view text, std::size_t& at) {
    while (at < text.size() && is_blank_or_tab(text[at])) ++at;
    const std::size_t begin = at;
    while (at < text.size() && !is_blank_or_tab(text[at])) ++at;
    return text.substr(begin, at - begin);
}

// Converts "198791.127353:" to nanoseconds.
std::optional<Nanos> perf_time(std::string_view word) {
    if (!word.ends_with(':')) return std::nullopt;
    word.remove_suffix(1);
    const std::size_t point = word.find('.');
    if (point == std::string_view::npos) return std::nullopt;
    const std::string_view seconds = word.substr(0, point);
    const std::string_view fraction = word.substr(point + 1);
    if (!is_digits(seconds) || !is_digits(fraction) || fraction.size() > 9 || fraction.size() < 3 ||
        seconds.size() > kMaxSecondsDigits)
        return std::nullopt;
    Nanos nanos = 0;
    for (const char c : seconds) nanos = nanos * 10 + (c - '0');
    if (nanos >= kMaxPerfSeconds) return std::nullopt;
    for (std::size_t i = 0; i < 9; ++i)
        nanos = nanos * 10 + (i < fraction.size() ? fraction[i] - '0' : 0);
    return nanos;
}

// Parses "12/34", "34" or "-1".
bool read_ids(std::string_view word, PerfHeader& header) {
    const std::size_t slash = word.find('/');
    const std::string_view first = word.substr(0, slash);
    const auto is_id = [](std::string_view text) {
        return is_digits(text.starts_with('-') ? text.substr(1) : text);
    };
    if (!is_id(first)) return false;
    if (slash == std::string_view::npos) {
        header.tid = first;
        return true;
    }
    if (!is_id(word.substr(slash + 1))) return false;
    header.pid = first;
    header.tid = word.substr(slash + 1);
    return true;
}

// Parses the part of a header before the time: the thread's name, which may contain spaces, IDs,
// CPU and flags.
void read_front(std::string_view front, PerfHeader& header) {
    struct Word {
        std::string_view text;
        std::size_t begin;
    };
    std::vector<Word> words;
    for (std::size_t at = 0;;) {
        const std::string_view word = next_word(front, at);
        if (word.empty()) break;
        words.push_back({word, at - word.size()});
    }
    std::size_t name_end = front.size();
    for (std::size_t i = words.size(); i-- > 0;) {
        const std::string_view word = words[i].text;
        const bool is_cpu = word.size() > 2 && word.front() == '[' && word.back() == ']' &&
                            is_digits(word.substr(1, word.size() - 2));
        if (is_cpu && header.cpu.empty()) {
            header.cpu = word.substr(1, word.size() - 2);
            name_end = words[i].begin;
        } else if (read_ids(word, header)) {
            name_end = words[i].begin;
            break;
        }
    }
    header.comm = without_blanks(front.substr(0, name_end));
}

// Parses the part of a header after the time: period, event and text.
void read_rest(std::string_view rest, PerfHeader& header) {
    std::size_t at = 0;
    std::string_view word = next_word(rest, at);
    std::size_t behind = at;
    if (is_digits(word)) {
        const std::string_view event = next_word(rest, behind);
        if (event.empty() || event.ends_with(':')) {
            header.period = word;
            at = behind;
            word = event;
        }
    }
    if (word.size() > 1 && word.ends_with(':')) {
        header.event = word.substr(0, word.size() - 1);
        header.text = without_blanks(rest.substr(at));
    } else if (header.period.empty()) {
        header.text = without_blanks(rest);
    }
}

// The position of the parenthesis that matches the one at the end of the text; npos: none.
std::size_t opening_of_last(std::string_view text) {
    std::size_t depth = 0;
    for (std::size_t i = text.size(); i-- > 0;) {
        if (text[i] == ')') ++depth;
        if (text[i] == '(' && --depth == 0) return i;
    }
    return std::string_view::npos;
}

// Removes "+0x12" from the end of a symbol.
void split_offset(PerfFrame& frame) {
    const std::size_t plus = frame.symbol.rfind("+0x");
    if (plus == std::string_view::npos || plus == 0 || !is_hex(frame.symbol.substr(plus + 3)))
        return;
    frame.offset = frame.symbol.substr(plus + 1);
    frame.symbol = frame.symbol.substr(0, plus);
}

}  // namespace

std::string_view without_blanks(std::string_view text) {
    while (!text.empty() && is_blank_or_tab(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank_or_tab(text.back())) text.remove_suffix(1);
    return text;
}

std::string_view next_line(std::string_view& text) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

std::optional<PerfHeader> read_perf_header(std::string_view line) {
    if (line.empty() || line.front() == '\t' || line.front() == '#') return std::nullopt;
    for (std::size_t at = 0;;) {
        const std::string_view word = next_word(line, at);
        if (word.empty()) return std::nullopt;
        const std::optional<Nanos> time = perf_time(word);
        if (!time) continue;
        PerfHeader header;
        header.nanos = *time;
        header.time = word.substr(0, word.size() - 1);
        read_front(line.substr(0, at - word.size()), header);
        read_rest(line.substr(at), header);
        return header;
    }
}

std::optional<PerfFrame> read_perf_frame(std::string_view line) {
    if (line.empty() || !is_blank_or_tab(line.front())) return std::nullopt;
    std::string_view rest = without_blanks(line);
    if (rest.empty()) return std::nullopt;
    PerfFrame frame;
    std::size_t at = 0;
    // In a stack without addresses, "add" may be a function.
    const bool may_be_name = line.front() != '\t';
    if (const std::string_view word = next_word(rest, at);
        is_hex(word) && !(may_be_name && word.find_first_of("0123456789") == word.npos)) {
        frame.address = word;
        rest = without_blanks(rest.substr(at));
    }
    if (rest.ends_with(')')) {
        const std::size_t open = opening_of_last(rest);
        // A library is preceded by a space; "f(int)" is a symbol.
        const bool is_dso = open != std::string_view::npos && (open == 0 || rest[open - 1] == ' ');
        if (is_dso) {
            frame.dso = rest.substr(open + 1, rest.size() - open - 2);
            rest = without_blanks(rest.substr(0, open));
            frame.is_inlined = frame.dso == "inlined";
            if (frame.is_inlined) frame.dso = {};
        }
    }
    frame.symbol = rest;
    split_offset(frame);
    return frame;
}

bool PerfStack::take(const PerfFrame& frame) {
    if (count_ == 0) has_addresses_ = !frame.address.empty();
    if (has_addresses_ && frame.address.empty()) return false;
    ++count_;
    return true;
}

std::optional<PerfFrame> read_perf_frame_of_header(std::string_view line,
                                                   const PerfHeader& header) {
    std::size_t at = 0;
    if (!is_hex(next_word(header.text, at)) || !header.text.ends_with(')')) return std::nullopt;
    // The text is preceded by a space.
    const auto begin = static_cast<std::size_t>(header.text.data() - line.data());
    return begin == 0 ? std::nullopt
                      : read_perf_frame(line.substr(begin - 1, header.text.size() + 1));
}

PerfStart perf_start(std::string_view text) {
    const bool has_comment = text.starts_with("# ========\n# captured on");
    while (!text.empty()) {
        const std::string_view line = next_line(text);
        if (without_blanks(line).empty() || line.front() == '#') continue;
        std::string_view below = text;
        const std::optional<PerfFrame> frame = read_perf_frame(next_line(below));
        const bool has_stack = frame && !frame->address.empty() && !frame->symbol.empty();
        if (const std::optional<PerfHeader> header = read_perf_header(line)) {
            const bool says_what = !header->event.empty() || has_stack || header->text.empty();
            return {header->tid.empty() ? has_stack : says_what, true};
        }
        // For example, "comm 12 cycles:".
        const bool names_library = has_stack && !frame->dso.empty();
        return {names_library && without_blanks(line).ends_with(':'), false};
    }
    return {has_comment, true};
}

}  // namespace lanescope
