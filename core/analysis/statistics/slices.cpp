#include "core/analysis/statistics/slices.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/analysis/statistics/range_summary.h"
#include "core/analysis/structure/short_names.h"
#include "core/table/cells.h"

namespace lanescope {

struct SliceTableRow {
    const Trace& trace;
    const NameInRange& sums;
    Nanos all;  // self time of all rows
    const ShortNames& names;

    // Calls may have no measured times.
    bool has_times() const {
        const EventClass event_class = trace.categories[sums.category].event_class;
        return trace.facts.calls_have_times ||
               (event_class != EventClass::op && event_class != EventClass::python);
    }
    std::optional<Nanos> known(Nanos time) const {
        return has_times() ? std::optional(time) : std::nullopt;
    }
    std::string_view short_name() const { return names.of(trace, sums.name); }
};

namespace {

constexpr std::string_view kNoSliceTimes = "the file has no times of calls";

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
    {{"total_ns", Unit::nanoseconds, kNoAggregate, kNoSliceTimes,
      "Sum of their durations; recursion counts repeatedly."},
     [](const SliceTableRow& row) { return row.known(row.sums.total); }},
    {{"self_ns", Unit::nanoseconds, kSum, kNoSliceTimes,
      "The same without the time of direct children inside them."},
     [](const SliceTableRow& row) { return row.known(row.sums.self); }},
    {{"self_share", Unit::ratio, kSum, "no slice takes any time",
      "self_ns as a fraction of its sum over all rows."},
     [](const SliceTableRow& row) {
         return row.has_times()
                    ? known_ratio(static_cast<double>(row.sums.self), static_cast<double>(row.all))
                    : std::nullopt;
     }},
    {{"mean_ns", Unit::nanoseconds, mean_by("calls"), kNoSliceTimes, "total_ns ÷ calls."},
     [](const SliceTableRow& row) {
         return row.has_times() ? std::optional(row.sums.mean()) : std::nullopt;
     }},
    {{"max_ns", Unit::nanoseconds, kMax, kNoSliceTimes, "Longest."},
     [](const SliceTableRow& row) { return row.known(row.sums.max); }},
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
    TableBuilder table(kSlicesTable);
    const ShortNames& short_names = context.get<ShortNames>();
    for (const NameInRange& row : names)
        all += SliceTableRow{trace, row, 0, short_names}.known(row.self).value_or(0);
    for (const NameInRange& row : names) table.add({trace, row, all, short_names});
    return table.take();
}

}  // namespace lanescope
