#include "core/analysis/kernels/hotspots.h"

#include "core/analysis/kernels/kernels.h"
#include "core/analysis/work/cost_sums.h"
#include "core/analysis/work/work_models.h"
#include "core/table/cells.h"

namespace lanescope {

namespace {

using enum ValueType;

constexpr std::array kColumns = {
    ColumnSpec{"name", text, Unit::none, "", "Name of the kernel, copy or set."},
    ColumnSpec{"device", integer, Unit::none, "not recorded", "Ordinal of the GPU."},
    ColumnSpec{"calls", integer, Unit::count, "", "Instances that begin in the range."},
    ColumnSpec{"total_ns", integer, Unit::nanoseconds, "", "Sum of their durations."},
    ColumnSpec{"share", real, Unit::ratio, "no activity took any time",
               "Part of the time of all kernels, copies and sets of the device."},
    ColumnSpec{"mean_ns", real, Unit::nanoseconds, "", "Mean duration."},
    ColumnSpec{"ci95_ns", real, Unit::nanoseconds, "a single instance",
               "Half width of the 95 % confidence interval of the mean."},
    ColumnSpec{"occupancy", real, Unit::ratio,
               "registers, shared memory, the device or how it runs them are not in the file",
               "Theoretical occupancy, mean weighted by duration."},
    ColumnSpec{"tflop_per_s", real, Unit::none, "no operations known, or no time",
               "10^12 operations ÷ time of the instances that have a model."},
    ColumnSpec{"gb_per_s", real, Unit::none, "no bytes known, or no time",
               "10^9 bytes that must move at least ÷ that time."},
    ColumnSpec{"floor_ns", integer, Unit::nanoseconds, "no model, or no peaks of the device",
               "Sum of floors: the larger of operations ÷ peak and bytes ÷ bandwidth.",
               kByUncertain},
    ColumnSpec{"lost_ns", integer, Unit::nanoseconds, "the same",
               "Time beyond the floor, instance by instance.", kByUncertain},
    ColumnSpec{"modelled", real, Unit::ratio, "no time", "Part of its time that has a floor."},
    ColumnSpec{"bound", text, Unit::none, "",
               "Of most of its time: compute, memory, latency (part of a wave, or under 5 µs), or "
               "unknown (no model or no peaks)."},
    ColumnSpec{"below_floor", text, Unit::none, "nothing is faster than its floor",
               "Why some instances are faster than their floor."},
    ColumnSpec{"no_model", text, Unit::none, "all time has one",
               "The most frequent reason, by time, for having no model."},
    ColumnSpec{"operator", text, Unit::none, "none is known",
               "The operator that launched most of its time."},
    kUncertainColumn,
};

}  // namespace

const TableSpec kHotspotsTable = {
    "hotspots", "Kernels by lost time: how much longer they take than the device needs at best.",
    kColumns};

Table hotspots_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const WorkModels& models = context.get<WorkModels>();
    Table table(kHotspotsTable);
    std::vector<KernelRow> of_range;
    if (query.range) of_range = kernel_rows(context, query, KernelGrouping::name);
    for (const KernelRow& row : query.range ? of_range : context.get<AllKernels>().rows) {
        CostSums sums;
        CostSums modelled;
        std::array<Nanos, 16> without = {};
        for (const uint32_t member : row.members) {
            const KernelCost& cost = models.costs[member];
            const Nanos duration = trace.duration(trace.gpu_activities.slice[member]);
            sums.add(cost, duration);
            if (cost.bytes != kNoValue) modelled.add(cost, duration);
            if (cost.why != NoModel::none)
                without[static_cast<std::size_t>(cost.why)] += duration + 1;
        }
        const auto most = std::ranges::max_element(without);
        const auto why = *most > 0 ? static_cast<NoModel>(most - without.begin()) : NoModel::none;
        const auto time = static_cast<double>(modelled.time);
        const auto total = static_cast<double>(sums.time);
        const Distribution& d = row.durations;
        table.add_row(
            {trace.strings[row.name], known(row.device, kNoValue), static_cast<int64_t>(d.count),
             d.total, row.share, d.mean, d.ci95, row.occupancy,
             modelled.has_flop ? tera_per_second(static_cast<double>(modelled.flop.n), time)
                               : Cell(),
             modelled.has_bytes ? giga_per_second(static_cast<double>(modelled.bytes.n), time)
                                : Cell(),
             sums.floor_cell(), sums.lost_cell(),
             total > 0 ? Cell(static_cast<double>(sums.modelled_time) / total) : Cell(),
             sums.bound_cell(), sums.below_cell(),
             why == NoModel::none ? Cell() : Cell(no_model_reason(why)), name_cell(trace, row.op),
             sums.uncertain_cell()},
            {row.longest, {}});
    }
    table.sort_by(*find_column(kHotspotsTable, "lost_ns"), false);
    return table;
}

}  // namespace lanescope
