#include "core/sql/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/base/number_text.h"
#include "core/sql/tokens.h"

namespace lanescope {

namespace {

enum class NumberKind : uint8_t { none, whole, real };

// The part of `text` from `at` on that consists of digits.
std::size_t skip_digits(std::string_view text, std::size_t at) {
    while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]))) ++at;
    return at;
}

// Classifies a text by JSON's grammar of numbers, which allows no leading zeros and no plus sign.
NumberKind number_kind(std::string_view text) {
    const std::size_t begin = text.starts_with('-') ? 1 : 0;
    std::size_t at = skip_digits(text, begin);
    if (at == begin || (text[begin] == '0' && at > begin + 1)) return NumberKind::none;
    if (at == text.size()) return NumberKind::whole;
    if (text[at] == '.') {
        const std::size_t end = skip_digits(text, at + 1);
        if (end == at + 1) return NumberKind::none;
        at = end;
    }
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
        const std::size_t end = skip_digits(text, at);
        if (end == at) return NumberKind::none;
        at = end;
    }
    return at == text.size() ? NumberKind::real : NumberKind::none;
}

// Returns the name with the sign that a query has before it.
std::string parameter_shown(std::string_view name) {
    return (name.empty() || !std::isdigit(static_cast<unsigned char>(name.front())) ? ":" : "?") +
           std::string(name);
}

int bind_value(sqlite3_stmt* statement, int place, const SqlParameter& value) {
    if (const auto* const whole = std::get_if<int64_t>(&value))
        return sqlite3_bind_int64(statement, place, *whole);
    if (const auto* const real = std::get_if<double>(&value))
        return sqlite3_bind_double(statement, place, *real);
    if (const auto* const text = std::get_if<std::string>(&value))
        return sqlite3_bind_text64(statement, place, text->data(), text->size(), SQLITE_STATIC,
                                   SQLITE_UTF8);
    return sqlite3_bind_null(statement, place);
}

}  // namespace

Result<SqlParameter> sql_parameter_in_text(const std::string& text) {
    const NumberKind kind = number_kind(text);
    if (kind == NumberKind::none) return SqlParameter(text);
    const auto out_of_range = [&] {
        return Error{ErrorCode::usage, Error::no_offset, "the number " + text + " is out of range"};
    };
    if (kind == NumberKind::whole) {
        const std::optional<int64_t> whole = number_in_text<int64_t>(text);
        return whole ? Result<SqlParameter>(SqlParameter(*whole)) : out_of_range();
    }
    const std::optional<double> real = number_in_text<double>(text);
    return real ? Result<SqlParameter>(SqlParameter(*real)) : out_of_range();
}

uint64_t place_of_parameter(std::string_view text, std::string_view name) {
    const Result<std::vector<SqlToken>> tokens = sql_tokens(text);
    if (!tokens) return Error::no_offset;
    const auto found = std::ranges::find_if(*tokens, [&](const SqlToken& token) {
        return token.kind == SqlTokenKind::other &&
               text.substr(token.begin, token.end - token.begin) == name;
    });
    return found == tokens->end() ? Error::no_offset : found->begin;
}

Result<void> ParameterBinder::bind(sqlite3_stmt* statement, std::string_view text) {
    const int count = sqlite3_bind_parameter_count(statement);
    for (int i = 1; i <= count; ++i) {
        const char* const written = sqlite3_bind_parameter_name(statement, i);
        const std::string name = written ? std::string(written + 1) : std::to_string(i);
        const auto value = given_.find(name);
        if (value == given_.end())
            return Error{ErrorCode::usage,
                         written ? place_of_parameter(text, written) : Error::no_offset,
                         fmt::format("the parameter {} has no value",
                                     written ? written : parameter_shown(name))};
        if (const int failed = bind_value(statement, i, value->second))
            return Error{
                ErrorCode::usage, Error::no_offset,
                fmt::format("the parameter {}: {}", parameter_shown(name), sqlite3_errstr(failed))};
        taken_.insert(value->first);
    }
    return {};
}

Result<void> ParameterBinder::check_all_taken() const {
    for (const auto& [name, value] : given_)
        if (!taken_.contains(name))
            return Error{ErrorCode::usage, Error::no_offset,
                         fmt::format("the query has no parameter {}", parameter_shown(name))};
    return {};
}

}  // namespace lanescope
