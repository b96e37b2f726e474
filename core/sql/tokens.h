// The words of an SQL text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace lanescope {

enum class SqlTokenKind : uint8_t {
    word,    // a keyword or a plain name
    quoted,  // a name in quotation marks
    text,    // 'a text'
    other,   // a number, a parameter, or one character
};

struct SqlToken {
    SqlTokenKind kind = SqlTokenKind::other;
    std::size_t begin = 0;
    std::size_t end = 0;
};

// Divides a statement into tokens, and leaves out blanks and comments. Errors: a text or a comment
// without its end.
Result<std::vector<SqlToken>> sql_tokens(std::string_view text);

// Returns whether a character can be part of a plain name: a letter, a digit, "_", or a byte of a
// character that is not in ASCII.
bool is_word_letter(char c);

// Compares letters of ASCII regardless of case.
bool same_word(std::string_view a, std::string_view b);

}  // namespace lanescope
