#include "core/analysis/work/roofline.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "core/analysis/work/models.h"
#include "core/analysis/work/work_models.h"
#include "core/table/cells.h"

namespace lanescope {

namespace {

using enum ValueType;

constexpr std::array<std::string_view, 2> kByUncertainRoof = {"uncertain_roof"};
constexpr std::array<std::string_view, 2> kByBandwidth = {"uncertain_bandwidth"};
constexpr std::array<std::string_view, 2> kByBoth = {"uncertain", "uncertain_bandwidth"};
constexpr std::array kColumns = {
    kOperatorColumn,
    kShapesColumn,
    kModelCallsColumn,
    ColumnSpec{"kernel_ns", integer, Unit::nanoseconds, "", "Time of all its kernels."},
    kDtypeColumn,
    ColumnSpec{"intensity", real, Unit::none, "it moves no byte", "Operations ÷ bytes."},
    ColumnSpec{"tflop_per_s", real, Unit::none, "it took no time", "10^12 operations ÷ time."},
    ColumnSpec{"gb_per_s", real, Unit::none, "it took no time", "10^9 bytes ÷ time."},
    ColumnSpec{"peak", text, Unit::none, "the device is not in the sheet",
               "Figure of the device's sheet that is its roof."},
    ColumnSpec{"peak_tflop_per_s", real, Unit::none, "the same",
               "That figure, scaled to the device.", kByUncertain},
    ColumnSpec{"roof_tflop_per_s", real, Unit::none, "the same",
               "What the roof allows at this intensity: the peak, or bandwidth × intensity.",
               kByUncertainRoof},
    ColumnSpec{"of_roof", real, Unit::ratio, "the same, or it took no time",
               "The rate as a fraction of what the roof allows. Above 1: data came from a cache, "
               "or Winograd or FFT needed fewer operations.",
               kByUncertainRoof},
    ColumnSpec{"bound", text, Unit::none, "", "compute, memory, latency or unknown."},
    ColumnSpec{"uncertain", integer, Unit::none, "the device is not in the sheet",
               "1: no source confirmed the peak."},
    ColumnSpec{
        "uncertain_roof", integer, Unit::none, "the same",
        "1: no source confirmed the figure behind the roof here: the peak, or the bandwidth."},
};

constexpr std::array kRoofColumns = {
    ColumnSpec{"device", integer, Unit::none, "not recorded", "Ordinal of the GPU."},
    ColumnSpec{"device_name", text, Unit::none, "the file names none", "Its name."},
    ColumnSpec{"peak", text, Unit::none, "the device is not in the sheet", "Figure of the sheet."},
    ColumnSpec{"tflop_per_s", real, Unit::none, "the same", "10^12 operations a second.",
               kByUncertain},
    ColumnSpec{"uncertain", integer, Unit::none, "the same", "1: no source confirmed the figure."},
    ColumnSpec{"gb_per_s", real, Unit::none, "the same", "Of memory, 10^9 bytes a second.",
               kByBandwidth},
    ColumnSpec{"ridge", real, Unit::none, "the same",
               "Operations per byte at which the roof becomes flat.", kByBoth},
    ColumnSpec{"source", text, Unit::none, "the same", "Where the figures are from."},
    ColumnSpec{"remark", text, Unit::none, "nothing to say", "What was guessed, scaled or given."},
    ColumnSpec{"uncertain_bandwidth", integer, Unit::none, "the same",
               "1: no source confirmed the memory's bandwidth."},
};

Cell positive(double value) {
    return value > 0 ? Cell(value) : Cell();
}

}  // namespace

const TableSpec kRooflineTable = {
    "roofline", "Operators: operations per byte and per second, compared with the device's roof.",
    kColumns};
const TableSpec kRooflineByRoofTable = {
    "roofline", "Roofs of the trace's devices, for the types that were used.", kRoofColumns,
    "roof"};

Table roofline_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const WorkModels& models = context.get<WorkModels>();
    Table table(kRooflineTable);
    std::string shapes;
    for (const ModelRow& row : model_rows(context, query)) {
        const OperatorCall& call = models.calls[row.call];
        const Work& work = call.modelled.work;
        if (row.device < 0 || work.flops.n == kNoValue || call.modelled.cut) continue;
        const auto flop = static_cast<double>(work.flops.n) * static_cast<double>(row.calls);
        const auto bytes = static_cast<double>((work.bytes_read + work.bytes_written).n) *
                           static_cast<double>(row.calls);
        const auto time = static_cast<double>(row.kernel_time);
        const auto& peaks = models.devices[static_cast<std::size_t>(row.device)].peaks;
        const auto rate = peaks ? peaks->rate(row.type, row.pipe) : std::nullopt;
        const double intensity = bytes > 0 ? flop / bytes : 0;
        double roof = rate ? rate->per_second : 0;
        bool uncertain_roof = rate && rate->uncertain;
        if (peaks && peaks->memory_bytes_s > 0 && bytes > 0 &&
            peaks->memory_bytes_s * intensity < roof) {
            roof = peaks->memory_bytes_s * intensity;
            uncertain_roof = peaks->memory_uncertain;
        }
        const bool reached = roof > 0 && time > 0;
        table.add_row({trace.strings[call.name], spelled_shapes(trace, call.dims, shapes),
                       row.calls, row.kernel_time, data_type_name(row.type),
                       bytes > 0 ? Cell(intensity) : Cell(), tera_per_second(flop, time),
                       giga_per_second(bytes, time), rate ? Cell(spec_name(rate->spec)) : Cell(),
                       rate ? positive(rate->per_second / 1e12) : Cell(), positive(roof / 1e12),
                       reached ? Cell(flop / time * 1e9 / roof) : Cell(),
                       work_bound_name(row.bound), rate ? Cell(int64_t{rate->uncertain}) : Cell(),
                       roof > 0 ? Cell(int64_t{uncertain_roof}) : Cell()},
                      {row.longest, {}});
    }
    return table;
}

Table roofline_by_roof_table(const TraceContext& context, const TableQuery& query) {
    const WorkModels& models = context.get<WorkModels>();
    Table table(kRooflineByRoofTable);
    std::set<std::tuple<int32_t, Spec>> seen;
    const auto add = [&](const ModelDevice& device, const PeakRate* rate) {
        const DevicePeaks* const peaks = device.peaks ? &*device.peaks : nullptr;
        const double memory = peaks ? peaks->memory_bytes_s : 0;
        table.add_row(
            {device.id < 0 ? Cell() : Cell(int64_t{device.id}), text_cell(device.name),
             rate ? Cell(spec_name(rate->spec)) : Cell(),
             rate ? Cell(rate->per_second / 1e12) : Cell(),
             rate ? Cell(int64_t{rate->uncertain ? 1 : 0}) : Cell(), positive(memory / 1e9),
             rate && memory > 0 ? Cell(rate->per_second / memory) : Cell(),
             text_cell(peaks ? std::string_view(peaks->specs.source) : std::string_view()),
             text_cell(peaks ? std::string_view(peaks->remark) : std::string_view()),
             peaks && memory > 0 ? Cell(int64_t{peaks->memory_uncertain}) : Cell()});
    };
    for (const ModelRow& row : model_rows(context, query)) {
        if (row.device < 0) continue;
        const ModelDevice& device = models.devices[static_cast<std::size_t>(row.device)];
        const auto rate = device.peaks ? device.peaks->rate(row.type, row.pipe) : std::nullopt;
        if (rate && seen.emplace(row.device, rate->spec).second) add(device, &*rate);
    }
    for (std::size_t i = 0; i < models.devices.size(); ++i) {
        const bool has = std::ranges::any_of(
            seen, [&](const auto& key) { return std::get<0>(key) == static_cast<int32_t>(i); });
        if (!has) add(models.devices[i], nullptr);
    }
    return table;
}

}  // namespace lanescope
