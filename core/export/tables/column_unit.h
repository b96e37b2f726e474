// ColumnUnit: one unit for all values of a column, so that their digits can be compared.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/table/table.h"

namespace lanescope {

struct ColumnUnit {
    double scale = 1;       // of the column's own unit: 1000 for µs
    std::string_view name;  // "µs"
    int decimals = 0;       // of every value

    friend bool operator==(const ColumnUnit&, const ColumnUnit&) = default;
};

// For times, sizes and work: the unit in which most values have digits before the point. Empty for
// other columns, and if all values are unknown or 0.
std::optional<ColumnUnit> common_unit(const Table& table, std::size_t column);

// "12.30 µs", "< 0.01 µs" for less, a dash for an unknown value.
std::string format_in(const ColumnUnit& unit, const Cell& cell);

}  // namespace lanescope
