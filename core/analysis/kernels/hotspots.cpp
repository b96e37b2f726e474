#include "core/analysis/kernels/hotspots.h"

#include "core/analysis/kernels/kernel_columns.h"
#include "core/analysis/kernels/kernels.h"
#include "core/analysis/structure/kernel_families.h"
#include "core/analysis/structure/process_cell.h"
#include "core/analysis/structure/short_names.h"
#include "core/analysis/work/cost_sums.h"
#include "core/analysis/work/work_models.h"
#include "core/table/cells.h"

namespace lanescope {

struct HotspotTableRow {
    const TraceContext& context;
    const KernelRow& kernel;
    const Trace& trace = context.trace();
    CostSums sums = {};
    CostSums modelled = {};       // of instances whose bytes are known
    NoModel why = NoModel::none;  // the most frequent reason, by time, for having no model

    std::string_view short_name() const { return context.get<ShortNames>().of(trace, kernel.name); }
    KernelFamily family() const { return context.get<KernelFamilies>().of(trace, kernel.members); }
    uint32_t process_row() const { return kernel.process; }

    std::optional<int64_t> uncertain() const { return sums.known_uncertain(); }
    double modelled_time() const { return static_cast<double>(modelled.time); }
};

namespace {

// The family comes after the figures that rank and bound a hotspot.
constexpr ColumnText kFamilyBehind = [] {
    ColumnText text = kFamily.text;
    text.priority = Priority::normal;
    return text;
}();

constexpr auto kCostColumns = columns<HotspotTableRow>({
    {{"name", Unit::none, kDistinct, "", "Name of the kernel, copy or set."},
     [](const HotspotTableRow& row) { return row.trace.strings[row.kernel.name]; }},
    kShortNameColumn,
    {kFamilyBehind, kFamily.value},
    {where_rows_differ({"device", Unit::none, kDistinct, "not recorded", "Ordinal of the GPU."}),
     [](const HotspotTableRow& row) { return known(row.kernel.device, kNoValue); }},
    {shown_first({"calls", Unit::count, kSum, "", "Instances that begin in the range."}),
     [](const HotspotTableRow& row) { return row.kernel.durations.count; }},
    {shown_first({"total_ns", Unit::nanoseconds, kSum, "", "Sum of their durations."}),
     [](const HotspotTableRow& row) { return row.kernel.durations.total; }},
    {shown_first({"share", Unit::ratio, kNoAggregate, "no activity took any time",
                  "Part of the time of all kernels, copies and sets of the device."}),
     [](const HotspotTableRow& row) { return row.kernel.share; }},
    {shown_first({"mean_ns", Unit::nanoseconds, mean_by("calls"), "", "Mean duration."}),
     [](const HotspotTableRow& row) { return row.kernel.durations.mean; }},
    {{"ci95_ns", Unit::nanoseconds, kNoAggregate, "a single instance",
      "Half width of the 95 % confidence interval of the mean.", Priority::detail},
     [](const HotspotTableRow& row) { return row.kernel.durations.ci95; }},
    {shown_first({"occupancy", Unit::ratio, mean_by("total_ns"),
                  "registers, shared memory, the device or how it runs them are not in the file",
                  "Theoretical occupancy, mean weighted by duration."}),
     [](const HotspotTableRow& row) { return row.kernel.occupancy; }},
    {{"tflop_per_s",
      Unit::none,
      kNoAggregate,
      "no operations known, or no time",
      "10^12 operations ÷ time of the instances that have a model.",
      Priority::normal,
      {},
      "TFLOP/s"},
     [](const HotspotTableRow& row) {
         return row.modelled.has_flop
                    ? tera_per_second(static_cast<double>(row.modelled.flop.n), row.modelled_time())
                    : std::nullopt;
     }},
    {{"gb_per_s",
      Unit::none,
      kNoAggregate,
      "no bytes known, or no time",
      "10^9 bytes that must at least be moved ÷ time of the instances that have a model.",
      Priority::normal,
      {},
      "GB/s"},
     [](const HotspotTableRow& row) {
         return row.modelled.has_bytes ? giga_per_second(static_cast<double>(row.modelled.bytes.n),
                                                         row.modelled_time())
                                       : std::nullopt;
     }},
    {{"floor_ns", Unit::nanoseconds, kSum, "no model, or no peaks of the device",
      "Sum of floors: the larger of operations ÷ peak and bytes ÷ bandwidth.", Priority::first,
      kByUncertain},
     [](const HotspotTableRow& row) { return row.sums.known_floor(); }},
    {{"lost_ns", Unit::nanoseconds, kSum, "the same",
      "Time beyond the floor, instance by instance.", Priority::first, kByUncertain},
     [](const HotspotTableRow& row) { return row.sums.known_lost(); }},
    {{"modelled", Unit::ratio, mean_by("total_ns"), "no time",
      "Fraction of its time that has a floor.", Priority::detail},
     [](const HotspotTableRow& row) {
         return known_ratio(static_cast<double>(row.sums.modelled_time),
                            static_cast<double>(row.sums.time));
     }},
    {shown_first(
         {"bound", Unit::none, kDistinct, "",
          "What bounds most of its time: compute, memory, latency (part of a wave, or under 5 "
          "µs), or "
          "unknown (no model or no peaks)."}),
     [](const HotspotTableRow& row) { return row.sums.bound_name(); }},
    {{"below_floor", Unit::none, kDistinct, "nothing is faster than its floor",
      "Why some instances are faster than their floor."},
     [](const HotspotTableRow& row) { return row.sums.known_below(); }},
    {{"no_model", Unit::none, kDistinct, "all time has one",
      "The most frequent reason, by time, for having no model."},
     [](const HotspotTableRow& row) {
         return row.why == NoModel::none ? std::nullopt : std::optional(no_model_reason(row.why));
     }},
});

constexpr auto kOwnerColumns = columns<HotspotTableRow>({
    {shown_first({"operator", Unit::none, kDistinct, "none is known",
                  "The operator that launched most of its time."}),
     [](const HotspotTableRow& row) { return known_name(row.trace, row.kernel.op); }},
    kUncertainColumn,
    kProcessColumn,
});

constexpr auto kHotspotColumns = joined(kCostColumns, kOwnerColumns);

HotspotTableRow row_of(const TraceContext& context, const WorkModels& models,
                       const KernelRow& kernel) {
    const Trace& trace = context.trace();
    HotspotTableRow row{context, kernel};
    std::array<Nanos, 16> without = {};
    for (const uint32_t member : kernel.members) {
        const KernelCost& cost = models.costs[member];
        const Nanos duration = trace.duration(trace.gpu_activities.slice[member]);
        row.sums.add(cost, duration);
        if (cost.bytes != kNoValue) row.modelled.add(cost, duration);
        if (cost.why != NoModel::none) without[static_cast<std::size_t>(cost.why)] += duration + 1;
    }
    const auto largest = std::ranges::max_element(without);
    if (*largest > 0) row.why = static_cast<NoModel>(largest - without.begin());
    return row;
}

}  // namespace

const TableOf<HotspotTableRow> kHotspotsTable = {
    {"hotspots",
     "Kernels by lost time: how much longer they take than the device needs at best. By time, if "
     "under half of it has a floor."},
    kHotspotColumns,
    [](const HotspotTableRow& row) {
        return RowTarget{row.kernel.longest, {}};
    }};

Table hotspots_table(const TraceContext& context, const TableQuery& query) {
    const WorkModels& models = context.get<WorkModels>();
    TableBuilder builder(kHotspotsTable);
    std::vector<KernelRow> of_range;
    if (query.range) of_range = kernel_rows(context, query, KernelGrouping::name);
    CostSums all;
    for (const KernelRow& kernel : query.range ? of_range : context.get<AllKernels>().rows) {
        const HotspotTableRow row = row_of(context, models, kernel);
        all.time += row.sums.time;
        all.modelled_time += row.sums.modelled_time;
        builder.add(row);
    }
    Table table = builder.take();
    // If few kernels have a floor, sorting by lost time would hide the kernels that take the most
    // time.
    const bool by_loss = all.modelled_time >= all.time - all.modelled_time;
    table.sort_by(*find_column(kHotspotsTable, by_loss ? "lost_ns" : "total_ns"), false);
    return table;
}

}  // namespace lanescope
