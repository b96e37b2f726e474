#include "core/analysis/statistics/slices.h"

#include <algorithm>
#include <array>

#include "core/analysis/statistics/range_summary.h"

namespace lanescope {

namespace {

constexpr std::array kColumns = {
    ColumnSpec{"name", ValueType::text, Unit::none, "", "Name of the slices."},
    ColumnSpec{"category", ValueType::text, Unit::none, "not in the file",
               "Category of the slices; a name with several categories has a row for each."},
    ColumnSpec{"calls", ValueType::integer, Unit::count, "", "Slices that begin in the range."},
    ColumnSpec{"total_ns", ValueType::integer, Unit::nanoseconds, "",
               "Sum of their durations; recursion counts repeatedly."},
    ColumnSpec{"self_ns", ValueType::integer, Unit::nanoseconds, "",
               "The same without the time of direct children inside them."},
    ColumnSpec{"self_share", ValueType::real, Unit::ratio, "no slice takes any time",
               "self_ns of that of all rows."},
    ColumnSpec{"mean_ns", ValueType::real, Unit::nanoseconds, "", "total_ns ÷ calls."},
    ColumnSpec{"max_ns", ValueType::integer, Unit::nanoseconds, "", "Longest."},
};

}  // namespace

const TableSpec kSlicesTable = {
    "slices", "Everything that has a begin and an end, by name, on CPUs and GPUs.", kColumns};

Table slices_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const std::vector<NameInRange> names = slices_by_name(trace, query.range);
    Nanos all = 0;
    for (const NameInRange& row : names) all += row.self;
    Table table(kSlicesTable);
    for (const NameInRange& row : names) {
        const std::string_view category = trace.strings[trace.categories[row.category].name];
        const auto share = static_cast<double>(row.self) / static_cast<double>(all);
        table.add_row({trace.strings[row.name], category.empty() ? Cell() : Cell(category),
                       static_cast<int64_t>(row.count), row.total, row.self,
                       all > 0 ? Cell(share) : Cell(), row.mean(), row.max},
                      {row.longest, {}});
    }
    return table;
}

}  // namespace lanescope
