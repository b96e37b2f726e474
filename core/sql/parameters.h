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

// Returns the value that people type behind "name=": a number if the text is one in JSON's grammar,
// and otherwise a text, such as "007" and "+5". Errors: a number that is out of range.
Result<SqlParameter> sql_parameter_in_text(const std::string& text);

// Gives the statements of one script the values of their parameters.
class ParameterBinder {
  public:
    // Keeps a reference to the values, because SQLite reads texts in place while a statement runs.
    explicit ParameterBinder(const SqlParameters& given) : given_(given) {}

    // `text` is the text of the statement. Errors: a parameter without a value; a parameter with a
    // name has its byte offset in `text`.
    Result<void> bind(sqlite3_stmt* statement, std::string_view text);
    // Errors: a value that no statement has taken so far.
    Result<void> check_all_taken() const;

  private:
    const SqlParameters& given_;
    std::set<std::string_view> taken_;
};

// Returns the byte offset of the parameter `name`, with its sign, in a statement's text;
// Error::no_offset if the text does not have the parameter.
uint64_t place_of_parameter(std::string_view text, std::string_view name);

}  // namespace lanescope
