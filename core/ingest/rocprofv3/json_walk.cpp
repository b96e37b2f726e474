#include "core/ingest/rocprofv3/json_walk.h"

#include <algorithm>

#include "core/ingest/json/json_cursor.h"

namespace lanescope {

namespace {

constexpr std::size_t kWindow = std::size_t{1} << 20;
constexpr std::size_t kLongestValue = std::size_t{64} << 20;

}  // namespace

JsonWalk::JsonWalk(std::shared_ptr<InputFile> file, Compression compression,
                   std::shared_ptr<GzipIndex> index)
    : text_(std::move(file), compression, std::move(index)) {}

bool JsonWalk::fill(std::size_t bytes) {
    if (window_.size() >= bytes || !outcome_) return window_.size() >= bytes;
    const Result<std::string_view> text = text_.read(at_, bytes);
    if (!text) {
        outcome_ = text.error();
        window_ = {};
        return false;
    }
    window_ = *text;
    return window_.size() >= bytes;
}

void JsonWalk::advance(std::size_t bytes) {
    window_.remove_prefix(bytes);
    at_ += bytes;
}

char JsonWalk::peek() {
    for (;;) {
        std::size_t blanks = 0;
        while (blanks < window_.size() && is_blank(window_[blanks])) ++blanks;
        advance(blanks);
        if (!window_.empty()) return window_.front();
        if (!fill(1)) return '\0';
    }
}

bool JsonWalk::take(char c) {
    if (peek() != c || window_.empty()) return false;
    advance(1);
    return true;
}

bool JsonWalk::is_at_end() {
    peek();
    return is_cut_ || window_.empty();
}

bool JsonWalk::value(std::string_view& raw) {
    peek();
    for (std::size_t bytes = std::min(window_.size(), kWindow);; bytes *= 4) {
        JsonCursor at{window_.data(), window_.data() + window_.size()};
        if (!window_.empty() && at.read_value(raw)) {
            if (raw.empty()) return false;
            advance(raw.size());
            return true;
        }
        bytes = std::max({bytes, window_.size() + 1, std::size_t{1} << 12});
        if (window_.size() >= kLongestValue) return false;
        const bool is_more = fill(bytes);
        if (!is_more && (!outcome_ || window_.size() < bytes)) {
            // Tries once more, now with the complete text.
            JsonCursor last{window_.data(), window_.data() + window_.size()};
            if (window_.empty() || !last.read_value(raw) || raw.empty()) {
                is_cut_ = true;
                return false;
            }
            advance(raw.size());
            return true;
        }
    }
}

bool JsonWalk::skip() {
    const char first = peek();
    std::string_view raw;
    if (first != '{' && first != '[') return value(raw);
    std::size_t depth = 0;
    bool in_text = false;
    bool is_escaped = false;
    while (!window_.empty() || fill(1)) {
        for (std::size_t i = 0; i < window_.size(); ++i) {
            const char c = window_[i];
            if (in_text) {
                if (is_escaped) {
                    is_escaped = false;
                } else if (c == '\\') {
                    is_escaped = true;
                } else if (c == '"') {
                    in_text = false;
                }
                continue;
            }
            if (c == '"') in_text = true;
            if (c == '{' || c == '[') ++depth;
            if ((c == '}' || c == ']') && --depth == 0) {
                advance(i + 1);
                return true;
            }
        }
        advance(window_.size());
    }
    return false;
}

bool JsonWalk::members(const std::function<bool(std::string_view name)>& visit) {
    if (!take('{')) return false;
    if (take('}')) return true;
    std::string_view raw;
    do {
        if (peek() != '"' || !value(raw)) return false;
        const std::string name(without_quotes(raw));
        if (!take(':') || !visit(name)) return false;
    } while (take(','));
    return take('}');
}

bool JsonWalk::elements(const std::function<bool()>& visit) {
    if (!take('[')) return false;
    if (take(']')) return true;
    do {
        if (is_at_end() || !visit()) return false;
    } while (take(','));
    return take(']');
}

}  // namespace lanescope
