// Tables whose rows are a tree (TableSpec::tree).
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/table/table.h"

namespace lanescope {

// The number of rows around a row; `column` is the table's column "depth".
int64_t depth_of(const Table& table, uint32_t row, std::size_t column);

// The rows of a grouped table that are inside of open groups only.
struct OpenRows {
    std::vector<uint32_t> shown;
    std::vector<uint32_t> opened;  // groups
};
// `open`: the paths of open groups: their names, after those of the groups around them.
OpenRows open_rows(const Table& table, const std::set<std::string>& open);
inline constexpr char kPathSeparator = '\x1f';

// Removes the descendants of folded rows (ascending). `rows` are all rows in the table's own order.
void unfolded(const Table& table, std::vector<uint32_t>& rows, std::span<const uint32_t> folded);

}  // namespace lanescope
