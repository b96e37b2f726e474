#include "core/search/matches_table.h"

namespace lanescope {

namespace {

constexpr ColumnSpec kColumns[] = {
    {"start_ns", ValueType::integer, Unit::nanoseconds, "", "From the trace's origin"},
    {"duration_ns", ValueType::integer, Unit::nanoseconds, "", "How long it lasted"},
    {"name", ValueType::text, Unit::none, "", "Its name"},
    {"category", ValueType::text, Unit::none, "", "Its category, in the file's own word"},
    {"lane", ValueType::text, Unit::none, "", "The thread, stream or track of the slice"},
};

}  // namespace

const TableSpec kMatchesTable = {"find", "The slices that match an expression", kColumns};

Table matches_table(const Matches& matches, std::size_t most) {
    const Trace& trace = *matches.trace;
    Table table(kMatchesTable);
    const std::vector<SliceRef> slices = matches_by_time(matches, most);
    for (const SliceRef slice : slices) {
        const Lane& lane = trace.lanes[slice.lane];
        const auto [chunk, i] = lane.locate(slice.index);
        const Category& category = trace.categories[chunk->category[i]];
        table.add_row(
            {chunk->start[i] - trace.origin, chunk->duration[i], trace.strings[chunk->name[i]],
             trace.strings[category.name], trace.strings[lane.name]},
            {slice, {}});
    }
    return table;
}

}  // namespace lanescope
