// Columns that several forms of the table "ranks" share.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/analysis/ranks/rank_tables.h"
#include "core/table/cells.h"

namespace lanescope {

// Columns of a row with a member `data` and a function member_row().
inline constexpr SharedColumn kTraceOfRankColumn{
    on_request({"trace", Unit::none, kDistinct, "", "Number of the file."}),
    [](const auto& row) { return row.data.members[row.member_row()].trace; }};
inline constexpr SharedColumn kNumberOfRankColumn{
    ColumnText{"rank", Unit::none, kDistinct, "",
               "The rank; of a file that does not state it, the number of the file, and of several "
               "in one file their number in it."},
    [](const auto& row) { return row.data.members[row.member_row()].rank; }};

// Columns of a row with a member `data` and a function call_row(), which returns a RankCall.
inline constexpr SharedColumn kKindOfCallColumn{
    ColumnText{"kind", Unit::none, kDistinct, "not in any name", "all_reduce, all_gather, …."},
    [](const auto& row) { return known_text(collective_type_name(row.call_row().kind)); }};
inline constexpr SharedColumn kGroupOfCallColumn{
    ColumnText{"group", Unit::none, kDistinct, "not recorded",
               "Name and ranks of the process group."},
    [](const auto& row) { return known_text(row.data.texts[row.call_row().group]); }};
inline constexpr SharedColumn kSequenceOfCallColumn{
    ColumnText{"sequence", Unit::none, kDistinct, "not recorded",
               "Number of the call in its group."},
    [](const auto& row) { return known(row.call_row().sequence, kNoValue); }};
inline constexpr SharedColumn kStepOfCallColumn{
    ColumnText{"step", Unit::none, kDistinct, "in no numbered step",
               "Index of the step that launched it."},
    [](const auto& row) { return known(row.call_row().step, kNoValue); }};

// Rounds a standard error to whole nanoseconds.
inline int64_t whole_nanos(double value) {
    return std::llround(value);
}

}  // namespace lanescope
