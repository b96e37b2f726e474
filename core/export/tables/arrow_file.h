// Writes a table as an Arrow IPC file, which pandas, polars, DuckDB and others read.
#pragma once

#include <string>

#include "core/table/table.h"

namespace lanescope {

// Texts are utf8, whole numbers int64, other numbers float64, lists list<int64>; unknown values are
// null. The metadata of a column has its unit and its definition. Throws std::bad_alloc, as texts
// do.
std::string write_arrow(const Table& table);

}  // namespace lanescope
