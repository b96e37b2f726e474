// Completes words of SQL.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/sql/connection.h"

namespace lanescope {

struct SqlCompletion {
    std::size_t begin = 0;           // of the word that ends at the caret
    std::vector<std::string> words;  // that it can become, sorted; at most kMostSqlWords
    std::string common;              // how all of them begin; at least as long as the word
};

inline constexpr std::size_t kMostSqlWords = 200;

// Words for the caret at byte `caret` of `text`: keywords, functions, tables, and columns of the
// tables that the text names, or of all if it names none; after "table." the columns of the table.
// Letters of ASCII are compared regardless of case.
SqlCompletion complete_sql(std::string_view text, std::size_t caret,
                           const std::vector<SqlTableName>& tables,
                           const std::vector<std::string>& functions);

// Returns the text that Tab inserts at the caret. `written` is the number of bytes of the word
// before the caret. A single completion is inserted whole, with a blank unless it is a function; of
// several completions, their common beginning is inserted.
std::string insertion_of(const SqlCompletion& completion, std::size_t written);

// Returns whether a script ends with a semicolon that is in no text and no comment.
bool is_complete_sql(std::string_view script);

}  // namespace lanescope
