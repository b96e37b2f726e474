// Conversions between SQLite's values and ours.
#pragma once

#include <sqlite3.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "core/base/nanos.h"
#include "core/table/cell.h"

namespace lanescope {

inline bool is_null(sqlite3_value* value) {
    return sqlite3_value_type(value) == SQLITE_NULL;
}

// A number in the form of a text for texts and numbers; empty for null.
inline std::string_view text_of(sqlite3_value* value) {
    const auto* const text = reinterpret_cast<const char*>(sqlite3_value_text(value));
    return text ? std::string_view(text, static_cast<std::size_t>(sqlite3_value_bytes(value)))
                : std::string_view();
}

// Returns whether a text can equal the value. SQLite turns numbers into texts to compare them.
inline bool is_comparable_text(sqlite3_value* value) {
    const int type = sqlite3_value_type(value);
    return type != SQLITE_NULL && type != SQLITE_BLOB;
}

// The whole number that equals the value when SQLite compares it with an integer column; empty if
// there is none.
inline std::optional<int64_t> whole_number(sqlite3_value* value) {
    const int type = sqlite3_value_numeric_type(value);
    if (type == SQLITE_INTEGER) return sqlite3_value_int64(value);
    if (type != SQLITE_FLOAT) return std::nullopt;
    const double real = sqlite3_value_double(value);
    constexpr double kLimit = 9.2e18;
    if (std::floor(real) != real || std::abs(real) > kLimit) return std::nullopt;
    return static_cast<int64_t>(real);
}

// Whole numbers around a limit, both inclusive: a scan for `>= value` or `<= value` may begin or
// end there. Everything for values that are no numbers.
inline TimeRange range_around(sqlite3_value* value) {
    const int type = sqlite3_value_numeric_type(value);
    if (type == SQLITE_INTEGER) {
        const int64_t whole = sqlite3_value_int64(value);
        return {whole, whole};
    }
    constexpr double kLimit = 9.2e18;
    const double real = type == SQLITE_FLOAT ? sqlite3_value_double(value) : 2 * kLimit;
    if (!(std::abs(real) < kLimit)) return kAllTime;
    return {static_cast<Nanos>(std::floor(real)), static_cast<Nanos>(std::ceil(real))};
}

// A text that lives as long as the connection; null if it is empty.
inline void give_name(sqlite3_context* context, std::string_view text) {
    if (!text.empty())
        sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
}

// A text that SQLite copies.
inline void give_copy(sqlite3_context* context, std::string_view text) {
    sqlite3_result_text(context, text.data() ? text.data() : "", static_cast<int>(text.size()),
                        SQLITE_TRANSIENT);
}

// A cell. `copy`: its text may not live as long as the connection. A list is written as "[1,2,3]".
void give_cell(sqlite3_context* context, const Cell& cell, bool copy);

}  // namespace lanescope
