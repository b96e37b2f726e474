#include "core/search/expression.h"

#include <re2/re2.h>

#include <algorithm>
#include <optional>

#include "core/analysis/structure/time_range.h"

namespace lanescope {

namespace {

constexpr int64_t kPatternMemory = int64_t{8} << 20;

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lowered(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), lower);
    return result;
}

Error wrong(std::size_t place, std::string text) {
    return Error{ErrorCode::usage, place, std::move(text)};
}

// A word of the expression without quotes, and the positions of its parts.
struct Word {
    bool negated = false;
    bool quoted = false;  // completely quoted: never a key or a kind
    std::string key;      // "cat", "dur", …; empty: none
    char sign = 0;        // after the key: ':', '<', '>' or '='
    std::string value;
    std::size_t at = 0;
    std::size_t value_at = 0;
};

class WordReader {
  public:
    explicit WordReader(std::string_view text) : text_(text) {}

    // Empty at the end.
    Result<std::optional<Word>> next() {
        while (at_ < text_.size() && is_space(text_[at_])) ++at_;
        if (at_ == text_.size()) return std::optional<Word>();
        Word word;
        word.at = at_;
        if (text_[at_] == '-' && at_ + 1 < text_.size() && !is_space(text_[at_ + 1])) {
            word.negated = true;
            ++at_;
        }
        word.quoted = text_[at_] == '"';
        if (!word.quoted) read_key(word);
        word.value_at = at_;
        while (at_ < text_.size() && !is_space(text_[at_])) {
            if (text_[at_] != '"') {
                word.value += text_[at_++];
                continue;
            }
            const std::size_t end = text_.find('"', at_ + 1);
            if (end == std::string_view::npos) return wrong(at_, "The quotation mark has no end.");
            word.value += text_.substr(at_ + 1, end - at_ - 1);
            at_ = end + 1;
        }
        return std::optional(std::move(word));
    }

  private:
    static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

    void read_key(Word& word) {
        constexpr std::string_view kKeys[] = {"re",  "cat", "name",   "lane", "dur",
                                              "tid", "pid", "stream", "kind", "args"};
        const std::string_view rest = text_.substr(at_);
        const std::size_t end = rest.find_first_of(":<>=");
        if (end == std::string_view::npos || end == 0) return;
        const std::string key = lowered(rest.substr(0, end));
        if (std::ranges::find(kKeys, key) == std::end(kKeys)) return;
        // Only durations can be compared; "name=…" is plain text.
        if ((key == "dur") != (rest[end] != ':')) return;
        if (rest.substr(end).starts_with("::")) return;  // "re::x" is a C++ name
        word.key = key;
        word.sign = rest[end];
        at_ += end + 1;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

std::optional<EventClass> class_of(std::string_view word) {
    struct Kind {
        std::string_view word;
        EventClass event_class;
    };
    constexpr Kind kKinds[] = {{"python", EventClass::python},
                               {"module", EventClass::module},
                               {"annotation", EventClass::annotation},
                               {"operator", EventClass::op},
                               {"op", EventClass::op},
                               {"runtime", EventClass::runtime},
                               {"kernel", EventClass::kernel},
                               {"memory", EventClass::memory},
                               {"communication", EventClass::communication},
                               {"sync", EventClass::sync},
                               {"overhead", EventClass::overhead},
                               {"other", EventClass::other}};
    const std::string lower_word = lowered(word);
    for (const Kind& kind : kKinds)
        if (kind.word == lower_word) return kind.event_class;
    return std::nullopt;
}

Result<Nanos> duration_at(std::string_view text, std::size_t place) {
    const auto duration = parse_duration(text);
    if (!duration) return wrong(place, "Expected a duration such as 1.5ms, 20us or 3s.");
    return *duration;
}

Result<void> read_duration(const Word& word, SearchTerm& term) {
    term.kind = TermKind::duration;
    std::string_view value = word.value;
    std::size_t place = word.value_at;
    const bool or_equal = word.sign != '=' && value.starts_with('=');
    if (or_equal) {
        value.remove_prefix(1);
        ++place;
    }
    if (const std::size_t dots = value.find(".."); word.sign == '=' && dots != value.npos) {
        const std::string_view from = value.substr(0, dots);
        const std::string_view to = value.substr(dots + 2);
        if (from.empty() && to.empty()) return wrong(place, "The range needs at least one end.");
        if (!from.empty()) {
            const auto min = duration_at(from, place);
            if (!min) return min.error();
            term.min = *min;
        }
        if (!to.empty()) {
            const auto max = duration_at(to, place + dots + 2);
            if (!max) return max.error();
            term.max = *max;
        }
        if (term.min > term.max) return wrong(place, "The range ends before it begins.");
        return {};
    }
    const auto length = duration_at(value, place);
    if (!length) return length.error();
    const bool strict = word.sign != '=' && !or_equal;
    const bool longest = *length == std::numeric_limits<Nanos>::max();  // no slice is longer
    if (word.sign != '<') term.min = *length + (strict && !longest ? 1 : 0);
    if (word.sign != '>') term.max = *length - (strict ? 1 : 0);
    return {};
}

Result<void> read_pattern(const Word& word, SearchTerm& term) {
    term.kind = TermKind::pattern;
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_case_sensitive(false);
    options.set_max_mem(kPatternMemory);
    auto pattern = std::make_shared<re2::RE2>(word.value, options);
    if (!pattern->ok()) {
        const std::string& part = pattern->error_arg();
        const std::size_t at = part.empty() ? std::string::npos : word.value.find(part);
        return wrong(word.value_at + (at == std::string::npos ? 0 : at),
                     "Not a regular expression: " + pattern->error() + ".");
    }
    term.pattern = std::move(pattern);
    return {};
}

Result<SearchTerm> term_of(const Word& word) {
    SearchTerm term;
    term.negated = word.negated;
    if (word.key.empty() && word.value.empty()) return wrong(word.at, "The text is empty.");
    if (!word.key.empty() && word.value.empty())
        return wrong(word.value_at, "There is no value after “" + word.key + word.sign + "”.");
    if (word.key == "dur") {
        if (const auto read = read_duration(word, term); !read) return read.error();
        return term;
    }
    if (word.key == "re") {
        if (const auto read = read_pattern(word, term); !read) return read.error();
        return term;
    }
    const bool is_kind =
        word.key == "kind" || (word.key.empty() && !word.quoted && word.value == "kernel");
    if (is_kind) {
        const auto found = class_of(word.value);
        if (!found)
            return wrong(word.value_at,
                         "Kinds are python, module, annotation, operator, runtime, kernel, memory, "
                         "communication, sync, overhead and other.");
        term.kind = TermKind::event_class;
        term.event_class = *found;
        return term;
    }
    const auto kind_of_key = [&] {
        if (word.key == "cat") return TermKind::category;
        if (word.key == "name") return TermKind::name;
        if (word.key == "lane") return TermKind::lane;
        if (word.key == "args") return TermKind::arguments;
        if (word.key == "tid") return TermKind::thread;
        if (word.key == "pid") return TermKind::process;
        if (word.key == "stream") return TermKind::stream;
        return TermKind::text;
    };
    term.kind = kind_of_key();
    term.text = lowered(word.value);
    return term;
}

}  // namespace

Result<SearchExpression> parse_search(std::string_view text) {
    SearchExpression expression;
    WordReader words(text);
    while (true) {
        const Result<std::optional<Word>> word = words.next();
        if (!word) return word.error();
        if (!*word) return expression;
        Result<SearchTerm> term = term_of(**word);
        if (!term) return term.error();
        expression.terms.push_back(std::move(*term));
    }
}

bool holds_text(std::string_view text, std::string_view lower_text) {
    if (lower_text.empty()) return true;
    if (text.size() < lower_text.size()) return false;
    const char first = lower_text.front();
    const char* at = text.data();
    const char* const last = at + (text.size() - lower_text.size());
    for (; at <= last; ++at) {
        if (lower(*at) != first) continue;
        std::size_t i = 1;
        while (i < lower_text.size() && lower(at[i]) == lower_text[i]) ++i;
        if (i == lower_text.size()) return true;
    }
    return false;
}

}  // namespace lanescope
