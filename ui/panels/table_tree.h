// Tables whose rows are a tree (TableSpec::tree).
#pragma once

#include <span>
#include <vector>

#include "core/table/table.h"

namespace lanescope {

// Removes the descendants of folded rows (ascending). `rows` are all rows in the table's own order.
void unfolded(const Table& table, std::vector<uint32_t>& rows, std::span<const uint32_t> folded);

}  // namespace lanescope
