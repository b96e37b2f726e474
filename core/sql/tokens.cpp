#include "core/sql/tokens.h"

#include <algorithm>
#include <cctype>

namespace lanescope {

namespace {

Error unended(std::string_view what, std::size_t at) {
    return {ErrorCode::usage, at, std::string(what) + " has no end"};
}

// The place after a text in quotation marks that begins at `at`; npos: it has no end. A doubled
// mark is part of the text.
std::size_t end_of_quoted(std::string_view text, std::size_t at) {
    const char mark = text[at] == '[' ? ']' : text[at];
    for (++at; at < text.size(); ++at) {
        if (text[at] != mark) continue;
        if (mark != ']' && at + 1 < text.size() && text[at + 1] == mark)
            ++at;
        else
            return at + 1;
    }
    return std::string_view::npos;
}

std::size_t end_of_word(std::string_view text, std::size_t at) {
    while (at < text.size() && is_word_letter(text[at])) ++at;
    return at;
}

}  // namespace

bool is_word_letter(char c) {
    const auto letter = static_cast<unsigned char>(c);
    return std::isalnum(letter) || c == '_' || letter >= 0x80;
}

Result<std::vector<SqlToken>> sql_tokens(std::string_view text) {
    std::vector<SqlToken> tokens;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        const std::string_view rest = text.substr(at);
        if (std::isspace(static_cast<unsigned char>(c))) {
            ++at;
        } else if (rest.starts_with("--")) {
            at = std::min(text.find('\n', at), text.size());
        } else if (rest.starts_with("/*")) {
            const std::size_t end = text.find("*/", at + 2);
            if (end == std::string_view::npos) return unended("the comment", at);
            at = end + 2;
        } else if (c == '\'' || c == '"' || c == '`' || c == '[') {
            const std::size_t end = end_of_quoted(text, at);
            if (end == std::string_view::npos) return unended("the text in quotation marks", at);
            tokens.push_back({c == '\'' ? SqlTokenKind::text : SqlTokenKind::quoted, at, end});
            at = end;
        } else if (is_word_letter(c)) {
            const std::size_t end = end_of_word(text, at);
            const bool digit = std::isdigit(static_cast<unsigned char>(c));
            tokens.push_back({digit ? SqlTokenKind::other : SqlTokenKind::word, at, end});
            at = end;
        } else if (c == '$' || c == '@' || c == ':' || c == '?') {
            const std::size_t end = end_of_word(text, at + 1);
            tokens.push_back({SqlTokenKind::other, at, end});
            at = end;
        } else {
            tokens.push_back({SqlTokenKind::other, at, at + 1});
            ++at;
        }
    }
    return tokens;
}

bool same_word(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, [](char x, char y) {
        return std::tolower(static_cast<unsigned char>(x)) ==
               std::tolower(static_cast<unsigned char>(y));
    });
}

}  // namespace lanescope
