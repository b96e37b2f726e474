#include "core/sql/sql_values.h"

#include <fmt/format.h>

#include <string>

namespace lanescope {

void give_cell(sqlite3_context* context, const Cell& cell, bool copy) {
    if (const auto* const whole = std::get_if<int64_t>(&cell)) {
        sqlite3_result_int64(context, *whole);
    } else if (const auto* const real = std::get_if<double>(&cell)) {
        sqlite3_result_double(context, *real);
    } else if (const auto* const text = std::get_if<std::string_view>(&cell)) {
        sqlite3_result_text(context, text->data() ? text->data() : "",
                            static_cast<int>(text->size()),
                            copy ? SQLITE_TRANSIENT : SQLITE_STATIC);
    } else if (const auto* const list = std::get_if<std::span<const int64_t>>(&cell)) {
        give_copy(context, fmt::format("[{}]", fmt::join(*list, ",")));
    }
}

}  // namespace lanescope
