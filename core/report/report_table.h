// A table of the core as a table of an HTML page.
#pragma once

#include <string>

#include "core/table/table.h"

namespace lanescope {

// At most `most` rows, in the table's order. Cells are written for people and carry their number
// for sorting; columns without any value, and details, are left out. `id`: of the element.
std::string html_table(const Table& table, std::string_view id, std::size_t most);

}  // namespace lanescope
