// The table of core/insight/compare/trace_figures.h.
#include <array>
#include <cmath>

#include "core/insight/compare/trace_figures.h"
#include "core/table/cells.h"

namespace lanescope {

namespace {

constexpr Doubts kByUncertainPeak = {"uncertain_peak"};

constexpr auto kTraceFiguresColumns = columns<TraceFigures>({
    {{"trace", Unit::none, kDistinct, "",
      "Its rank, or the part of its file name that differs from the others."},
     [](const TraceFigures& row) { return std::string_view(row.name); }},
    {{"file", Unit::none, kDistinct, "", "Name of its file."},
     [](const TraceFigures& row) { return std::string_view(row.file); }},
    {{"devices", Unit::none, kDistinct, "the file names none", "Names of its GPUs."},
     [](const TraceFigures& row) { return known_text(row.devices); }},
    {{"steps", Unit::count, kSum, "no steps: time, work and kernels refer to the whole trace",
      "Number of steps that the figures describe: steps in the range, without warm-up."},
     [](const TraceFigures& row) { return known(static_cast<int64_t>(row.steps), 0); }},
    {{"time_ns", Unit::nanoseconds, mean_by("steps"), "",
      "Mean time of a step on the CPU; without steps the length of the trace or range."},
     [](const TraceFigures& row) { return row.time_ns; }},
    {{"ci95_ns", Unit::nanoseconds, kNoAggregate, "fewer than two steps",
      "Half width of the 95 % confidence interval of time_ns, by Student's t."},
     [](const TraceFigures& row) { return row.ci95_ns; }},
    {{"busy_share_of_steps", Unit::ratio, kNoAggregate, "no steps, or no GPU work",
      "Part of the steps' time in which a kernel, copy or set of their process runs."},
     [](const TraceFigures& row) { return row.busy_of_steps; }},
    {{"busy_share_of_span", Unit::ratio, kNoAggregate, "no GPU work",
      "Part of the time from a GPU's first to its last work in which any runs; of several GPUs "
      "their mean, by time."},
     [](const TraceFigures& row) { return row.busy_of_span; }},
    {{"peak_memory_bytes", Unit::bytes, kMax, "not recorded",
      "Maximum of allocated memory on one GPU; on the CPU if nothing ran on a GPU."},
     [](const TraceFigures& row) { return known(row.peak_memory, kNoValue); }},
    {{"flop", Unit::flop, mean_by("steps"), "no such work has a model",
      "Operations of matrix products, convolutions and attention, of a step."},
     [](const TraceFigures& row) { return row.flop; }},
    {{"modelled", Unit::ratio, kNoAggregate, "no kernels",
      "Part of kernel time that has a model: the rest is missing in flop, hfu and mfu."},
     [](const TraceFigures& row) { return row.modelled; }},
    {{"hfu", Unit::ratio, kNoAggregate,
      "a device is not in the data sheet, or there is no such work",
      "Hardware utilisation: those operations, each ÷ the peak of its type, ÷ the time of the "
      "steps (without steps: from the first to the last GPU work); mean over GPUs.",
      Priority::normal, kByUncertainPeak},
     [](const TraceFigures& row) { return row.hfu; }},
    {{"mfu", Unit::ratio, kNoAggregate, "the same, or no forward pass",
      "Model utilisation, inferred: three times the forward part if there is a backward pass, else "
      "the forward part.",
      Priority::normal, kByUncertainPeak},
     [](const TraceFigures& row) { return row.mfu; }},
    {{"steps_per_second", Unit::none, kNoAggregate, "no steps",
      "Steps by the time from the first one's begin to the last one's end."},
     [](const TraceFigures& row) { return row.steps_per_second; }},
    {{"samples_per_step", Unit::count, kNoAggregate,
      "no steps, or not determined by shapes: see numbers.md",
      "The batch size: the first dimension of the inputs of all convolutions of a step."},
     [](const TraceFigures& row) { return known(row.batch, kNoValue); }},
    {{"samples_per_second", Unit::none, kNoAggregate, "the same",
      "samples_per_step times steps_per_second."},
     [](const TraceFigures& row) { return row.samples_per_second(); }},
    {{"kernels", Unit::none, mean_by("steps"), "no GPU work",
      "Kernels that a step launches, mean."},
     [](const TraceFigures& row) { return row.kernels; }},
    {{"top_operator", Unit::none, kDistinct, "none is recorded",
      "The operator that itself launches most GPU time; if nothing ran on a GPU, the one with most "
      "CPU time of its own."},
     [](const TraceFigures& row) { return known_text(row.top_operator); }},
    {{"top_operator_share", Unit::ratio, kNoAggregate, "the same",
      "Its fraction of the time of all kernels, copies and sets or, if nothing ran on a GPU, of "
      "all operators' CPU time."},
     [](const TraceFigures& row) { return row.top_operator_share; }},
    {{"uncertain_peak", Unit::none, kMax, "hfu is not known",
      "1: no source confirms a peak that hfu and mfu use."},
     [](const TraceFigures& row) {
         return std::isnan(row.hfu) ? std::nullopt : std::optional<int64_t>(row.uncertain_peak);
     }},
});

}  // namespace

const TableOf<TraceFigures> kTracesTable = {{"traces", "Several traces side by side, a row each."},
                                            kTraceFiguresColumns,
                                            [](const TraceFigures& row) {
                                                return RowTarget{{}, row.range};
                                            }};

Table traces_table(std::span<const TraceFigures> traces) {
    TableBuilder table(kTracesTable);
    for (const TraceFigures& figures : traces) table.add(figures);
    return table.take();
}

}  // namespace lanescope
