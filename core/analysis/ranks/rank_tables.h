// Tables of a comparison of ranks: the forms of the table "ranks".
#pragma once

#include <array>

#include "core/analysis/ranks/compare_ranks.h"
#include "core/table/table.h"

namespace lanescope {

inline constexpr std::string_view kRanksTableName = "ranks";

extern const TableOf<struct RankTableRow> kRanksTable;
extern const TableOf<struct MatchedCallTableRow> kRanksByCallTable;
extern const TableOf<struct ArrivalTableRow> kRanksByArrivalTable;
extern const TableOf<struct BlameTableRow> kRanksByBlameTable;
extern const TableOf<struct LateTableRow> kRanksByLateTable;
extern const TableOf<struct VerdictTableRow> kRanksByVerdictTable;
extern const TableOf<struct UnmatchedTableRow> kRanksByUnmatchedTable;
extern const TableOf<struct RankProblemTableRow> kRanksByProblemTable;

// Makes one form of the table. The result does not refer to `data` or `result`.
struct RankTableMaker {
    const TableSpec* spec;
    Table (*make)(const RankData& data, const RankComparison& result);
};
const std::array<RankTableMaker, 8>& rank_table_makers();
// The form for the option `by`; empty: the default form. Null: there is no such form.
const RankTableMaker* find_rank_table(std::string_view by);

}  // namespace lanescope
