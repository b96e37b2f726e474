#include "core/analysis/statistics/slices.h"

#include <algorithm>
#include <array>

#include "core/analysis/statistics/range_summary.h"
#include "core/analysis/structure/short_names.h"
#include "core/table/cells.h"

namespace lanescope {

struct SliceTableRow {
    const Trace& trace;
    const NameInRange& sums;
    Nanos all;  // self time of all rows
    const ShortNames& names;

    std::string_view short_name() const { return names.of(trace, sums.name); }
};

namespace {

constexpr auto kSliceColumns = columns<SliceTableRow>({
    {{"name", Unit::none, kDistinct, "", "Name of the slices."},
     [](const SliceTableRow& row) { return row.trace.strings[row.sums.name]; }},
    kShortNameColumn,
    {{"category", Unit::none, kDistinct, "not in the file",
      "Category of the slices; a name with several categories has a row for each."},
     [](const SliceTableRow& row) {
         return known_text(row.trace.strings[row.trace.categories[row.sums.category].name]);
     }},
    {{"calls", Unit::count, kSum, "", "Slices that begin in the range."},
     [](const SliceTableRow& row) { return row.sums.count; }},
    {{"total_ns", Unit::nanoseconds, kNoAggregate, "",
      "Sum of their durations; recursion counts repeatedly."},
     [](const SliceTableRow& row) { return row.sums.total; }},
    {{"self_ns", Unit::nanoseconds, kSum, "",
      "The same without the time of direct children inside them."},
     [](const SliceTableRow& row) { return row.sums.self; }},
    {{"self_share", Unit::ratio, kSum, "no slice takes any time",
      "self_ns as a fraction of its sum over all rows."},
     [](const SliceTableRow& row) {
         return known_ratio(static_cast<double>(row.sums.self), static_cast<double>(row.all));
     }},
    {{"mean_ns", Unit::nanoseconds, mean_by("calls"), "", "total_ns ÷ calls."},
     [](const SliceTableRow& row) { return row.sums.mean(); }},
    {{"max_ns", Unit::nanoseconds, kMax, "", "Longest."},
     [](const SliceTableRow& row) { return row.sums.max; }},
});

}  // namespace

const TableOf<SliceTableRow> kSlicesTable = {
    {"slices", "Everything that has a begin and an end, by name, on CPUs and GPUs."},
    kSliceColumns,
    [](const SliceTableRow& row) {
        return RowTarget{row.sums.longest, {}};
    }};

Table slices_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const std::vector<NameInRange> names = slices_by_name(trace, query);
    Nanos all = 0;
    for (const NameInRange& row : names) all += row.self;
    TableBuilder table(kSlicesTable);
    const ShortNames& short_names = context.get<ShortNames>();
    for (const NameInRange& row : names) table.add({trace, row, all, short_names});
    return table.take();
}

}  // namespace lanescope
