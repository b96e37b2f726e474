#include "core/ingest/rocprofv3/csv_rows.h"

#include <algorithm>

namespace lanescope {

namespace {

constexpr std::size_t kLongestRow = std::size_t{1} << 20;
constexpr std::size_t kMostCsvFields = 4096;

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// An unbalanced quote would take in everything after it, so the row ends at its line end.
CsvRead end_at_line(std::string_view text, std::size_t& used) {
    const std::size_t line = text.find('\n');
    const bool is_last = line == std::string_view::npos;
    used = is_last ? text.size() : line + 1;
    return is_last ? CsvRead::cut : CsvRead::bad;
}

}  // namespace

CsvRead read_csv_row(std::string_view text, bool is_all, std::vector<std::string>& fields,
                     std::size_t& used) {
    std::size_t count = 0;
    std::size_t i = 0;
    bool is_quoted = false;
    const auto field = [&]() -> std::string& {
        if (count == fields.size()) fields.emplace_back();
        fields[count].clear();
        return fields[count++];
    };
    for (;;) {
        std::string& value = field();
        is_quoted = i < text.size() && text[i] == '"';
        if (is_quoted) {
            for (++i;; i += 2) {
                const std::size_t quote = text.find('"', i);
                if (quote == std::string_view::npos || i > kLongestRow) {
                    if (i > kLongestRow || text.size() > kLongestRow || is_all)
                        return end_at_line(text, used);
                    return CsvRead::cut;
                }
                value.append(text.substr(i, quote - i));
                i = quote;
                if (i + 1 >= text.size() || text[i + 1] != '"') break;
                value += '"';
            }
            ++i;
        }
        const std::size_t end = std::min(text.find_first_of(",\n", i), text.size());
        value.append(text.substr(i, end - i));
        i = end;
        if (i == text.size() || text[i] == '\n') break;
        ++i;
        if (count == kMostCsvFields) return end_at_line(text, used);
    }
    const bool has_end = i < text.size();
    if (!has_end && !is_all)
        return text.size() > kLongestRow ? end_at_line(text, used) : CsvRead::cut;
    std::string& last = fields[count - 1];
    if (last.ends_with('\r')) last.pop_back();
    fields.resize(count);
    used = i + (has_end ? 1 : 0);
    // Without a line end, only a closing quote shows that the last field is complete.
    return has_end || is_quoted ? CsvRead::row : CsvRead::cut;
}

bool CsvRows::next() {
    for (std::size_t bytes = std::size_t{1} << 12;; bytes *= 4) {
        if (window_.size() < bytes) {
            const Result<std::string_view> text = text_.read(at_, bytes);
            if (!text) {
                outcome_ = text.error();
                return false;
            }
            window_ = *text;
        }
        if (at_ == 0 && window_.starts_with("\xef\xbb\xbf")) {
            window_.remove_prefix(3);
            at_ = 3;
        }
        if (window_.empty()) return false;
        const bool is_all = text_.at_end();
        std::size_t used = 0;
        state_ = read_csv_row(window_, is_all, fields_, used);
        const bool is_too_long = window_.size() > 4 * kLongestRow;
        if (state_ == CsvRead::cut && !is_all && !is_too_long) continue;
        if (state_ == CsvRead::cut) used = window_.size();
        if (state_ == CsvRead::cut && !is_all) state_ = CsvRead::bad;
        offset_ = at_;
        at_ += used;
        window_.remove_prefix(used);
        if (state_ != CsvRead::row || fields_.size() > 1 || !fields_.front().empty()) return true;
        bytes = std::size_t{1} << 10;
    }
}

int csv_column(const std::vector<std::string>& header, std::string_view name) {
    for (std::size_t i = 0; i < header.size(); ++i)
        if (std::ranges::equal(header[i], name, {}, lower, lower)) return static_cast<int>(i);
    return -1;
}

}  // namespace lanescope
