// Names as tables show them to people.
#pragma once

#include <string>
#include <string_view>

#include "core/table/table.h"

namespace lanescope {

// The name that is shown for the text of a cell: the row's short name for its name, else
// compact_name().
std::string shown_name(const Table& table, std::size_t row, std::size_t column,
                       std::string_view text);

}  // namespace lanescope
