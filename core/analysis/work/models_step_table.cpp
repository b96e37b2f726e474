// The table of core/analysis/work/step_work.h.
#include <array>
#include <string>

#include "core/analysis/structure/device_steps.h"
#include "core/analysis/structure/steps.h"
#include "core/analysis/work/models.h"
#include "core/analysis/work/step_work.h"
#include "core/table/cells.h"

namespace lanescope {

struct StepWorkTableRow {
    const Trace& trace;
    std::string_view name;
    TimeRange range;
    const StepWork& sums;
    SliceRef slice;
    std::string peaks = joined_peaks(sums);

    std::optional<int64_t> uncertain() const { return sums.costs.known_uncertain(); }

    static std::string joined_peaks(const StepWork& work) {
        std::string peaks;
        for (const auto& [peak, ns] : work.peaks) peaks += (peaks.empty() ? "" : "+") + peak;
        return peaks;
    }
};

namespace {

constexpr Doubts kByUncertainPeak = {"uncertain_peak"};

constexpr auto kStepWorkColumns = columns<StepWorkTableRow>({
    {{"name", Unit::none, kDistinct, "", "The step; the whole range comes first."},
     [](const StepWorkTableRow& row) { return row.name; }},
    {{"start_ns", Unit::nanoseconds, kMin, "", "Begin, from the trace's origin."},
     [](const StepWorkTableRow& row) { return row.range.begin - row.trace.origin; }},
    {{"duration_ns", Unit::nanoseconds, kSum, "", "The window to which shares refer."},
     [](const StepWorkTableRow& row) { return row.range.length(); }},
    {{"kernel_ns", Unit::nanoseconds, kSum, "", "Time of kernels launched in it."},
     [](const StepWorkTableRow& row) { return row.sums.costs.time; }},
    {{"modelled", Unit::ratio, mean_by("kernel_ns"), "no kernels",
      "Fraction of kernel time with a floor."},
     [](const StepWorkTableRow& row) {
         return known_ratio(static_cast<double>(row.sums.costs.modelled_time),
                            static_cast<double>(row.sums.costs.time));
     }},
    {{"floor_ns", Unit::nanoseconds, kSum, "no floors", "Sum of floors.", Priority::normal,
      kByUncertain},
     [](const StepWorkTableRow& row) { return row.sums.costs.known_floor(); }},
    {{"lost_ns", Unit::nanoseconds, kSum, "no floors", "Sum of the lost time.", Priority::normal,
      kByUncertain},
     [](const StepWorkTableRow& row) { return row.sums.costs.known_lost(); }},
    {{"flop", Unit::flop, kSum, "none of them has a model",
      "Operations of matrix products, convolutions and attention."},
     [](const StepWorkTableRow& row) {
         return row.sums.products > 0 ? std::optional(row.sums.flop.n) : std::nullopt;
     }},
    {{"hfu", Unit::ratio, mean_by("duration_ns"),
      "the device is not in the data sheet, or there is no such work",
      "Hardware utilisation: those operations, each ÷ the peak of its type, ÷ the window; mean "
      "over devices.",
      Priority::normal, kByUncertainPeak},
     [](const StepWorkTableRow& row) { return row.sums.hfu(row.range.length()); }},
    {{"mfu", Unit::ratio, mean_by("duration_ns"), "the same",
      "Model utilisation, inferred: three times the forward part if there is a backward pass, else "
      "the forward part.",
      Priority::normal, kByUncertainPeak},
     [](const StepWorkTableRow& row) { return row.sums.mfu(row.range.length()); }},
    {{"peak", Unit::none, kDistinct, "the same", "Figures used as peaks."},
     [](const StepWorkTableRow& row) { return known_text(row.peaks); }},
    kUncertainColumn,
    {{"uncertain_peak", Unit::none, kMax, "hfu is not known",
      "1: no source confirms a peak that hfu and mfu use."},
     [](const StepWorkTableRow& row) {
         return row.sums.has_peak ? std::optional<int64_t>(row.sums.uncertain_peak) : std::nullopt;
     }},
});

}  // namespace

// Its first row contains all others: sums over rows should leave it out.
const TableOf<StepWorkTableRow> kModelsByStepTable = {
    {"models", "Steps: floors, and operations compared with the device's peak.", "step"},
    kStepWorkColumns,
    [](const StepWorkTableRow& row) {
        return RowTarget{row.slice, row.range};
    }};

Table models_by_step_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    TableBuilder table(kModelsByStepTable);
    if (trace.gpu_activities.slice.empty()) return table.take();
    const Steps& steps = context.get<Steps>();
    const DeviceSteps& device_steps = context.get<DeviceSteps>();
    const StepWorks works = step_works(context, query);
    table.add({trace, "all", query.device_range().value_or(gpu_span(context)), works.all, {}});
    for (std::size_t i = 0; i < steps.all.size(); ++i) {
        if (query.range && !query.range->contains(steps.all[i].range.begin)) continue;
        const std::string label = full_step_label(trace, steps, static_cast<uint32_t>(i));
        table.add({trace, label, device_steps.range(steps, static_cast<uint32_t>(i)),
                   works.steps[i], steps.all[i].slice});
    }
    return table.take();
}

}  // namespace lanescope
