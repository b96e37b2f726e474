// The table of core/insight/trace_figures.h.
#include <array>
#include <cmath>

#include "core/insight/trace_figures.h"
#include "core/table/cells.h"

namespace lanescope {

namespace {

using enum ValueType;

constexpr std::array<std::string_view, 2> kByUncertainPeak = {"uncertain_peak"};
constexpr std::array kColumns = {
    ColumnSpec{"trace", text, Unit::none, "",
               "Its rank, or the part of its file name that differs from the others."},
    ColumnSpec{"file", text, Unit::none, "", "Name of its file."},
    ColumnSpec{"devices", text, Unit::none, "the file names none", "Names of its GPUs."},
    ColumnSpec{"steps", integer, Unit::count,
               "no steps: time, work and kernels are those of the whole trace",
               "Number of steps behind the figures: those in the range, without warm-up."},
    ColumnSpec{"time_ns", real, Unit::nanoseconds, "",
               "Mean time of a step on the CPU; without steps the length of the trace or range."},
    ColumnSpec{"ci95_ns", real, Unit::nanoseconds, "fewer than two steps",
               "Half width of the 95 % confidence interval of that mean, by Student's t."},
    ColumnSpec{"busy_share_of_steps", real, Unit::ratio, "no steps, or no GPU work",
               "Part of the steps' time in which a kernel, copy or set of their process runs."},
    ColumnSpec{"busy_share_of_span", real, Unit::ratio, "no GPU work",
               "Part of the time from a GPU's first to its last work in which any runs; of "
               "several GPUs their mean, by time."},
    ColumnSpec{"peak_memory_bytes", integer, Unit::bytes, "not recorded",
               "Maximum of allocated memory on one GPU; on the CPU if nothing ran on a GPU."},
    ColumnSpec{"flop", real, Unit::flop, "no such work has a model",
               "Operations of matrix products, convolutions and attention, of a step."},
    ColumnSpec{"modelled", real, Unit::ratio, "no kernels",
               "Part of kernel time that has a model: the rest is missing in flop, hfu and mfu."},
    ColumnSpec{"hfu", real, Unit::ratio,
               "a device is not in the data sheet, or there is no such work",
               "Hardware utilisation: those operations, each ÷ the peak of its type, ÷ the time of "
               "the steps (without steps: from the first to the last GPU work); mean over GPUs.",
               kByUncertainPeak},
    ColumnSpec{"mfu", real, Unit::ratio, "the same, or no forward pass",
               "Model utilisation, inferred: three times the forward part if there is a backward "
               "pass, else the forward part.",
               kByUncertainPeak},
    ColumnSpec{"steps_per_second", real, Unit::none, "no steps",
               "Steps by the time from the first one's begin to the last one's end."},
    ColumnSpec{"samples_per_step", integer, Unit::count,
               "no steps, or not determined by shapes: see numbers.md",
               "The batch size: the first dimension of the inputs of all convolutions of a step."},
    ColumnSpec{"samples_per_second", real, Unit::none, "the same", "That times steps_per_second."},
    ColumnSpec{"kernels", real, Unit::none, "no GPU work", "Kernels that a step launches, mean."},
    ColumnSpec{"top_operator", text, Unit::none, "none is recorded",
               "The operator that itself launches most GPU time; if nothing ran on a GPU, the one "
               "with most CPU time of its own."},
    ColumnSpec{"top_operator_share", real, Unit::ratio, "the same",
               "Its part of the time of all kernels, copies and sets; of all operators' CPU time."},
    ColumnSpec{"uncertain_peak", integer, Unit::none, "hfu is not known",
               "1: a peak that hfu and mfu come from is not confirmed by any source."},
};

}  // namespace

const TableSpec kTracesTable = {"traces", "Several traces side by side, a row each.", kColumns};

Table traces_table(std::span<const TraceFigures> traces) {
    Table table(kTracesTable);
    for (const TraceFigures& t : traces)
        table.add_row({t.name,
                       t.file,
                       text_cell(t.devices),
                       t.steps > 0 ? Cell(static_cast<int64_t>(t.steps)) : Cell(),
                       t.time_ns,
                       t.ci95_ns,
                       t.busy_of_steps,
                       t.busy_of_span,
                       known(t.peak_memory, kNoValue),
                       t.flop,
                       t.modelled,
                       t.hfu,
                       t.mfu,
                       t.steps_per_second,
                       known(t.batch, kNoValue),
                       t.samples_per_second(),
                       t.kernels,
                       text_cell(t.top_operator),
                       t.top_operator_share,
                       std::isnan(t.hfu) ? Cell() : Cell(int64_t{t.uncertain_peak})},
                      {{}, t.range});
    return table;
}

}  // namespace lanescope
