// The table of kernels by family.
#include "core/analysis/kernels/kernel_families_table.h"

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "core/analysis/kernels/kernel_columns.h"
#include "core/analysis/kernels/kernels.h"
#include "core/analysis/structure/kernel_families.h"
#include "core/analysis/structure/process_cell.h"
#include "core/analysis/work/cost_sums.h"
#include "core/analysis/work/work_models.h"

namespace lanescope {

// The activities of one family on one device.
struct KernelFamilyTableRow {
    const Trace& trace;
    KernelFamily kind = KernelFamily::other;
    uint32_t process = 0;
    int64_t device = kNoValue;
    int64_t names = 0;
    int64_t calls = 0;
    Nanos total = 0;
    double share = 0;
    SliceRef longest = {};
    Nanos longest_total = -1;  // total time of `longest`'s name
    CostSums sums = {};

    KernelFamily family() const { return kind; }
    uint32_t process_row() const { return process; }
    const CostSums& costs() const { return sums; }
    std::optional<int64_t> uncertain() const { return sums.known_uncertain(); }
};

namespace {

constexpr auto kFamilyColumns = columns<KernelFamilyTableRow>({
    kFamily,
    {kDevice, [](const KernelFamilyTableRow& row) { return known(row.device, kNoValue); }},
    {shown_first({"names", Unit::count, kNoAggregate, "", "Different names."}),
     [](const KernelFamilyTableRow& row) { return row.names; }},
    {shown_first({"calls", Unit::count, kSum, "", "Instances that begin in the range."}),
     [](const KernelFamilyTableRow& row) { return row.calls; }},
    {shown_first({"total_ns", Unit::nanoseconds, kSum, "", "Sum of their durations."}),
     [](const KernelFamilyTableRow& row) { return row.total; }},
    {shown_first({"share", Unit::ratio, kNoAggregate, "no activity took any time",
                  "Part of the time of all kernels, copies and sets of the device in the range."}),
     [](const KernelFamilyTableRow& row) { return row.share; }},
    {shown_first({"mean_ns", Unit::nanoseconds, mean_by("calls"), "", "Mean duration."}),
     [](const KernelFamilyTableRow& row) {
         return static_cast<double>(row.total) / static_cast<double>(row.calls);
     }},
    kFlop,
    kBytes,
    kFloor,
    kLost,
    kBound,
    kUncertainColumn,
    kProcessColumn,
});

}  // namespace

const TableOf<KernelFamilyTableRow> kKernelsByFamilyTable = {
    {"kernels", "Kernels, copies and sets by what they are for.", "family"},
    kFamilyColumns,
    [](const KernelFamilyTableRow& row) {
        return RowTarget{row.longest, {}};
    }};

Table kernels_by_family_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const KernelFamilies& families = context.get<KernelFamilies>();
    const WorkModels& models = context.get<WorkModels>();
    std::map<std::pair<uint32_t, KernelFamily>, KernelFamilyTableRow> rows;  // by process, family
    for (const KernelRow& kernel : kernel_rows(context, query, KernelGrouping::name)) {
        const KernelFamily family = families.of(trace, kernel.members);
        KernelFamilyTableRow& row =
            rows.try_emplace({kernel.process, family},
                             KernelFamilyTableRow{trace, family, kernel.process, kernel.device})
                .first->second;
        ++row.names;
        row.calls += static_cast<int64_t>(kernel.durations.count);
        row.total += kernel.durations.total;
        row.share += kernel.share;
        if (kernel.durations.total > row.longest_total) {
            row.longest_total = kernel.durations.total;
            row.longest = kernel.longest;
        }
        for (const uint32_t member : kernel.members)
            row.sums.add(models.costs[member], trace.duration(trace.gpu_activities.slice[member]));
    }
    TableBuilder builder(kKernelsByFamilyTable);
    for (const auto& [key, row] : rows) builder.add(row);
    Table table = builder.take();
    table.sort_by(*find_column(kKernelsByFamilyTable, "total_ns"), false);
    return table;
}

}  // namespace lanescope
