#include "core/search/matches_table.h"

#include "core/table/cells.h"
#include "core/trace/short_name.h"

namespace lanescope {

struct MatchTableRow {
    const Trace& trace;
    SliceRef slice;
    const Lane& lane = trace.lanes[slice.lane];
    std::string compact = compact_name(trace.name(slice));

    std::string_view short_name() const { return compact; }
};

namespace {

constexpr auto kMatchColumns = columns<MatchTableRow>({
    {{"start_ns", Unit::nanoseconds, kMin, "", "From the trace's origin."},
     [](const MatchTableRow& row) { return row.trace.start(row.slice) - row.trace.origin; }},
    {{"duration_ns", Unit::nanoseconds, kSum, "", "How long it lasted."},
     [](const MatchTableRow& row) { return row.trace.duration(row.slice); }},
    {{"name", Unit::none, kDistinct, "", "Its name."},
     [](const MatchTableRow& row) { return row.trace.name(row.slice); }},
    kShortNameColumn,
    {{"category", Unit::none, kDistinct, "", "Its category, as in the file."},
     [](const MatchTableRow& row) {
         const auto [chunk, i] = row.lane.locate(row.slice.index);
         return row.trace.strings[row.trace.categories[chunk->category[i]].name];
     }},
    {{"lane", Unit::none, kDistinct, "", "The thread, stream or track of the slice."},
     [](const MatchTableRow& row) { return row.trace.strings[row.lane.name]; }},
});

}  // namespace

const TableOf<MatchTableRow> kMatchesTable = {
    {"find", "The slices that match an expression."}, kMatchColumns, [](const MatchTableRow& row) {
        return RowTarget{row.slice, {}};
    }};

Table matches_table(const Matches& matches, std::size_t limit) {
    TableBuilder table(kMatchesTable);
    for (const SliceRef slice : matches_by_time(matches, limit)) table.add({*matches.trace, slice});
    return table.take();
}

}  // namespace lanescope
