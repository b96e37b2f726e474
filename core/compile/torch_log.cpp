#include "core/compile/torch_log.h"

#include <charconv>
#include <cstring>

namespace lanescope {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Whether the text begins with the pattern, in which 9 matches any digit.
bool fits(std::string_view text, std::string_view pattern) {
    if (text.size() < pattern.size()) return false;
    for (std::size_t i = 0; i < pattern.size(); ++i)
        if (pattern[i] == '9' ? !is_digit(text[i]) : text[i] != pattern[i]) return false;
    return true;
}

constexpr std::string_view kTimePattern = "9999 99:99:99.999999 ";
constexpr std::size_t kAfterTime = 1 + kTimePattern.size();

}  // namespace

bool begins_torch_record(std::string_view line) {
    constexpr std::string_view levels = "VDIWEC";
    return !line.empty() && levels.find(line.front()) != std::string_view::npos &&
           fits(line.substr(1), kTimePattern) && line.find("] {\"", kAfterTime) != line.npos;
}

void TorchLogSplitter::add(std::string_view block) {
    while (!block.empty()) {
        const auto* const end =
            static_cast<const char*>(std::memchr(block.data(), '\n', block.size()));
        if (!end) {
            rest_ += block;
            return;
        }
        const auto length = static_cast<std::size_t>(end - block.data());
        if (rest_.empty()) {
            add_line(block.substr(0, length));
        } else {
            rest_ += block.substr(0, length);
            const std::string whole = std::move(rest_);
            rest_.clear();
            add_line(whole);
        }
        block.remove_prefix(length + 1);
    }
}

void TorchLogSplitter::finish() {
    if (!rest_.empty()) {
        const std::string last = std::move(rest_);
        rest_.clear();
        add_line(last);
    }
    hand_over();
}

void TorchLogSplitter::add_line(std::string_view line) {
    const uint64_t at = offset_;
    offset_ += line.size() + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with('\t') && in_record_) {
        if (!payload_.empty()) payload_ += '\n';
        payload_ += line.substr(1);
        return;
    }
    if (!begins_torch_record(line)) {
        if (line.empty()) return;
        if (foreign_lines_++ == 0) first_foreign_ = at;
        return;
    }
    hand_over();
    in_record_ = true;
    record_.offset = at;
    head_ = line.substr(line.find("] {\"", kAfterTime) + 2);
    const char* const pid = line.data() + kAfterTime;
    record_.pid = -1;
    const char* first = pid;
    while (first < line.data() + line.size() && *first == ' ') ++first;
    std::from_chars(first, line.data() + line.size(), record_.pid);
}

void TorchLogSplitter::hand_over() {
    if (!in_record_) return;
    in_record_ = false;
    record_.head = head_;
    record_.payload = payload_;
    take_(record_);
    payload_.clear();
}

}  // namespace lanescope
