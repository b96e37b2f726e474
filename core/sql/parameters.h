// Values for the parameters of an SQL script.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/result.h"

namespace lanescope {

// Null, a whole number, a number, or a text in UTF-8. A text never becomes part of a statement.
using SqlParameter = std::variant<std::monostate, int64_t, double, std::string>;

// By name without the sign before it: "step" is the value of ":step", "@step" and "$step". A
// parameter without a name is called by its number in its statement, from 1: "1" is the value of
// the first "?", and of "?1".
using SqlParameters = std::map<std::string, SqlParameter, std::less<>>;

// The value in a text of "name=value" as people type it: a number as JSON writes it, and
// otherwise a text. So "007" and "+5" are texts. Errors: a number that is out of range.
Result<SqlParameter> sql_parameter_in_text(const std::string& text);

// Gives the statements of one script the values of their parameters.
class ParameterBinder {
  public:
    // Keeps a reference to the values. SQLite reads texts in place while a statement runs.
    explicit ParameterBinder(const SqlParameters& given) : given_(given) {}

    // `text`: of the statement. Errors: a parameter without a value; the byte offset is its place
    // in `text` if it has a name.
    Result<void> bind(sqlite3_stmt* statement, std::string_view text);
    // Errors: a value that no statement has taken so far.
    Result<void> check_all_taken() const;

  private:
    const SqlParameters& given_;
    std::set<std::string_view> taken_;
};

// Where the parameter `name`, with its sign, is in a statement's text; Error::no_offset if it is
// not there.
uint64_t place_of_parameter(std::string_view text, std::string_view name);

}  // namespace lanescope
