// Names as tables show them.
#pragma once

#include <string>
#include <string_view>

#include "core/table/table.h"

namespace lanescope {

// The name to show for a cell's text: the row's short name for it, or else compact_name().
std::string shown_name(const Table& table, std::size_t row, std::size_t column,
                       std::string_view text);

}  // namespace lanescope
