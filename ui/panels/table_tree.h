// Tables whose rows are a tree: a column "depth" says how many rows each stands inside of.
#pragma once

#include <span>
#include <vector>

#include "core/analysis/table.h"

namespace lanescope {

// Before a name: for each row around it, and for its arrow.
inline constexpr float kTreeIndent = 12;
inline constexpr float kTreeArrow = 16;

// Takes away the rows inside of folded ones (ascending). `rows` are all, in the table's own order.
void unfolded(const Table& table, std::vector<uint32_t>& rows, std::span<const uint32_t> folded);

}  // namespace lanescope
