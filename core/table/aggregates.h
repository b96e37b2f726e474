// The common value of several rows in a column, by the column's aggregate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>

#include "core/table/table.h"

namespace lanescope {

// Missing values do not count; the result is missing if no row has one.
// - a mean is weighted by the column that the aggregate names, and missing if the weights are 0;
// - a sum beyond 64 bits is missing;
// - different texts give "3 different", which `texts` keeps; other different values give none.
//   Here a missing value counts as a value.
Cell aggregate_of(const Table& table, std::span<const uint32_t> rows, std::size_t column,
                  std::deque<std::string>& texts);

// The type of aggregated values: means of integers are real.
ValueType aggregated_type(const ColumnSpec& column);

}  // namespace lanescope
