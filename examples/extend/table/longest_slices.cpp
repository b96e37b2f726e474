#include "examples/extend/table/longest_slices.h"

#include "core/table/cells.h"

namespace lanescope {

struct LongestSliceRow {
    const Trace& trace;
    LaneId lane_id;
    SliceRef longest;
    int64_t count = 0;
    Nanos total = 0;

    const Lane& lane() const { return trace.lanes[lane_id]; }
};

namespace {

constexpr auto kLongestColumns = columns<LongestSliceRow>({
    {{"lane", Unit::none, kDistinct, "", "Name of the thread or stream."},
     [](const LongestSliceRow& row) { return row.trace.strings[row.lane().name]; }},
    {{"tid", Unit::none, kDistinct, "not in the file", "Id of the thread or stream."},
     [](const LongestSliceRow& row) { return known_text(row.trace.strings[row.lane().tid]); }},
    {{"name", Unit::none, kDistinct, "", "Name of the longest slice."},
     [](const LongestSliceRow& row) { return row.trace.name(row.longest); }},
    {{"start_ns", Unit::nanoseconds, kMin, "", "Its begin, from the trace's origin."},
     [](const LongestSliceRow& row) { return row.trace.start(row.longest) - row.trace.origin; }},
    {{"duration_ns", Unit::nanoseconds, kMax, "", "Its duration."},
     [](const LongestSliceRow& row) { return row.trace.duration(row.longest); }},
    {{"slices", Unit::count, kSum, "", "Slices of the lane that begin in the range."},
     [](const LongestSliceRow& row) { return row.count; }},
    {{"mean_ns", Unit::nanoseconds, mean_by("slices"), "", "Their mean duration."},
     [](const LongestSliceRow& row) {
         return static_cast<double>(row.total) / static_cast<double>(row.count);
     }},
});

LongestSliceRow row_of(const Trace& trace, LaneId id, const TableQuery& query) {
    LongestSliceRow row{trace, id, {}};
    Nanos longest = -1;
    for (const auto& chunk : trace.lanes[id].chunks)
        for (uint32_t i = 0; i < chunk->size(); ++i) {
            if (!query.has(chunk->start[i])) continue;
            ++row.count;
            row.total += chunk->duration[i];
            if (chunk->duration[i] <= longest) continue;
            longest = chunk->duration[i];
            row.longest = {id, chunk->first + i};
        }
    return row;
}

}  // namespace

const TableOf<LongestSliceRow> kLongestSlicesTable = {
    {"longest", "The longest slice of each lane."},
    kLongestColumns,
    [](const LongestSliceRow& row) {
        return RowTarget{row.longest, {}};
    }};

Table longest_slices_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    TableBuilder table(kLongestSlicesTable);
    for (LaneId id = 0; id < trace.lanes.size(); ++id)
        if (const LongestSliceRow row = row_of(trace, id, query); row.count > 0) table.add(row);
    return table.take();
}

}  // namespace lanescope
