// What was found as a table, a row a slice.
#pragma once

#include "core/analysis/table.h"
#include "core/search/matches.h"

namespace lanescope {

extern const TableSpec kMatchesTable;

// In order of time; the first `most`. Sorts: not for a frame.
Table matches_table(const Matches& matches, std::size_t most = ~std::size_t{0});

}  // namespace lanescope
