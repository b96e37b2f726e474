// Shows matches as a table, one row a slice.
#pragma once

#include "core/search/matches.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct MatchTableRow> kMatchesTable;

// The first `limit` matches by time. Sorts: too slow for a frame.
Table matches_table(const Matches& matches, std::size_t limit = ~std::size_t{0});

}  // namespace lanescope
