// The table of core/analysis/work/step_work.h.
#include <array>
#include <string>

#include "core/analysis/structure/steps.h"
#include "core/analysis/work/models.h"
#include "core/analysis/work/step_work.h"
#include "core/table/cells.h"

namespace lanescope {

namespace {

using enum ValueType;

constexpr std::array<std::string_view, 2> kByUncertainPeak = {"uncertain_peak"};
constexpr std::array kColumns = {
    ColumnSpec{"name", text, Unit::none, "", "The step; the whole range comes first."},
    ColumnSpec{"start_ns", integer, Unit::nanoseconds, "", "Begin, from the trace's origin."},
    ColumnSpec{"duration_ns", integer, Unit::nanoseconds, "", "The window to which shares refer."},
    ColumnSpec{"kernel_ns", integer, Unit::nanoseconds, "", "Time of kernels launched in it."},
    ColumnSpec{"modelled", real, Unit::ratio, "no kernels", "Part of that time with a floor."},
    ColumnSpec{"floor_ns", integer, Unit::nanoseconds, "no floors", "Sum of floors.", kByUncertain},
    ColumnSpec{"lost_ns", integer, Unit::nanoseconds, "no floors", "Sum of the lost time.",
               kByUncertain},
    ColumnSpec{"flop", integer, Unit::flop, "none of them has a model",
               "Operations of matrix products, convolutions and attention."},
    ColumnSpec{"hfu", real, Unit::ratio,
               "the device is not in the data sheet, or there is no such work",
               "Hardware utilisation: those operations, each ÷ the peak of its type, ÷ the window; "
               "mean over devices.",
               kByUncertainPeak},
    ColumnSpec{"mfu", real, Unit::ratio, "the same",
               "Model utilisation, inferred: three times the forward part if there is a backward "
               "pass, else the forward part.",
               kByUncertainPeak},
    ColumnSpec{"peak", text, Unit::none, "the same", "Figures used as peaks."},
    kUncertainColumn,
    ColumnSpec{"uncertain_peak", integer, Unit::none, "hfu is not known",
               "1: a peak that hfu and mfu come from is not confirmed by any source."},
};

void add_step(Table& table, const Trace& trace, std::string_view name, TimeRange range,
              const StepWork& of, SliceRef slice) {
    const auto time = static_cast<double>(of.costs.time);
    std::string peaks;
    for (const auto& [peak, ns] : of.peaks) peaks += (peaks.empty() ? "" : "+") + peak;
    table.add_row(
        {name, range.begin - trace.origin, range.length(), of.costs.time,
         time > 0 ? Cell(static_cast<double>(of.costs.modelled_time) / time) : Cell(),
         of.costs.floor_cell(), of.costs.lost_cell(), of.products > 0 ? Cell(of.flop.n) : Cell(),
         of.hfu(range.length()), of.mfu(range.length()), text_cell(peaks),
         of.costs.uncertain_cell(), of.has_peak ? Cell(int64_t{of.uncertain_peak}) : Cell()},
        {slice, range});
}

}  // namespace

const TableSpec kModelsByStepTable = {
    "models", "Steps: floors, and operations compared with the device's peak.", kColumns, "step"};

Table models_by_step_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    Table table(kModelsByStepTable);
    if (trace.gpu_activities.slice.empty()) return table;
    const Steps& steps = context.get<Steps>();
    const StepWorks works = step_works(context, query);
    add_step(table, trace, "all", query.range.value_or(gpu_span(context)), works.all, {});
    for (std::size_t i = 0; i < steps.all.size(); ++i) {
        if (query.range && !query.range->contains(steps.all[i].range.begin)) continue;
        const std::string label = step_label(trace, steps, static_cast<uint32_t>(i));
        add_step(table, trace, label, steps.all[i].range, works.steps[i], steps.all[i].slice);
    }
    return table;
}

}  // namespace lanescope
