#include "core/analysis/work/roofline.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "core/analysis/work/models.h"
#include "core/analysis/work/work_models.h"
#include "core/table/cells.h"

namespace lanescope {

struct RooflineTableRow {
    const Trace& trace;
    const OperatorCall& call;
    const ModelRow& model;
    std::string_view shapes;
    double flop = 0;   // of all calls
    double bytes = 0;  // of all calls
    std::optional<PeakRate> rate = {};
    double roof = 0;  // operations a second at this intensity; 0: not known
    bool uncertain_roof = false;

    double time() const { return static_cast<double>(model.kernel_time); }
    std::optional<double> intensity() const { return known_ratio(flop, bytes); }
    std::optional<double> of_roof() const {
        return roof > 0 && time() > 0 ? std::optional(flop / time() * 1e9 / roof) : std::nullopt;
    }
};

struct RoofTableRow {
    const ModelDevice& device;
    const PeakRate* rate;  // null: the device is not in the sheet
    const DevicePeaks* peaks = device.peaks ? &*device.peaks : nullptr;
    double memory = peaks ? peaks->memory_bytes_s : 0;  // 0: not known
};

namespace {

constexpr Doubts kByUncertainRoof = {"uncertain_roof"};
constexpr Doubts kByBandwidth = {"uncertain_bandwidth"};
constexpr Doubts kByBoth = {"uncertain", "uncertain_bandwidth"};

std::optional<double> positive(double value) {
    return value > 0 ? std::optional(value) : std::nullopt;
}

constexpr auto kRooflineColumns = columns<RooflineTableRow>({
    kOperatorColumn,
    kShapesColumn,
    kModelCallsColumn,
    {shown_first({"kernel_ns", Unit::nanoseconds, kSum, "", "Time of all its kernels."}),
     [](const RooflineTableRow& row) { return row.model.kernel_time; }},
    kDtypeColumn,
    {{"intensity", Unit::none, kNoAggregate, "it moves no byte", "Operations ÷ bytes."},
     [](const RooflineTableRow& row) { return row.intensity(); }},
    {{"tflop_per_s",
      Unit::none,
      mean_by("kernel_ns"),
      "it took no time",
      "10^12 operations ÷ time.",
      Priority::normal,
      {},
      "TFLOP/s"},
     [](const RooflineTableRow& row) { return tera_per_second(row.flop, row.time()); }},
    {{"gb_per_s",
      Unit::none,
      mean_by("kernel_ns"),
      "it took no time",
      "10^9 bytes ÷ time.",
      Priority::normal,
      {},
      "GB/s"},
     [](const RooflineTableRow& row) { return giga_per_second(row.bytes, row.time()); }},
    {{"peak", Unit::none, kDistinct, "the device is not in the sheet",
      "Figure of the device's sheet that is its roof."},
     [](const RooflineTableRow& row) {
         return row.rate ? std::optional(spec_name(row.rate->spec)) : std::nullopt;
     }},
    {{"peak_tflop_per_s", Unit::none, kNoAggregate, "the same",
      "That figure, scaled to the device.", Priority::normal, kByUncertain},
     [](const RooflineTableRow& row) {
         return row.rate ? positive(row.rate->per_second / 1e12) : std::nullopt;
     }},
    {{"roof_tflop_per_s", Unit::none, kNoAggregate, "the same",
      "What the roof allows at this intensity: the peak, or bandwidth × intensity.",
      Priority::first, kByUncertainRoof},
     [](const RooflineTableRow& row) { return positive(row.roof / 1e12); }},
    {{"of_roof", Unit::ratio, kNoAggregate, "the same, or it took no time",
      "The rate as a fraction of what the roof allows. Above 1: data came from a cache, or "
      "Winograd or FFT needed fewer operations.",
      Priority::first, kByUncertainRoof},
     [](const RooflineTableRow& row) { return row.of_roof(); }},
    {shown_first({"bound", Unit::none, kDistinct, "", "compute, memory, latency or unknown."}),
     [](const RooflineTableRow& row) { return work_bound_name(row.model.bound); }},
    {{"uncertain", Unit::none, kMax, "the device is not in the sheet",
      "1: no source confirmed the peak."},
     [](const RooflineTableRow& row) {
         return row.rate ? std::optional<int64_t>(row.rate->uncertain) : std::nullopt;
     }},
    {{"uncertain_roof", Unit::none, kMax, "the same",
      "1: no source confirmed the figure behind the roof here: the peak, or the bandwidth."},
     [](const RooflineTableRow& row) {
         return row.roof > 0 ? std::optional<int64_t>(row.uncertain_roof) : std::nullopt;
     }},
});

constexpr auto kRoofColumns = columns<RoofTableRow>({
    {{"device", Unit::none, kDistinct, "not recorded", "Ordinal of the GPU."},
     [](const RoofTableRow& row) { return known(row.device.id, -1); }},
    {{"device_name", Unit::none, kDistinct, "the file names none", "Its name."},
     [](const RoofTableRow& row) { return known_text(row.device.name); }},
    {{"peak", Unit::none, kDistinct, "the device is not in the sheet", "Figure of the sheet."},
     [](const RoofTableRow& row) {
         return row.rate ? std::optional(spec_name(row.rate->spec)) : std::nullopt;
     }},
    {{"tflop_per_s", Unit::none, kNoAggregate, "the same", "10^12 operations a second.",
      Priority::normal, kByUncertain, "TFLOP/s"},
     [](const RoofTableRow& row) {
         return row.rate ? std::optional(row.rate->per_second / 1e12) : std::nullopt;
     }},
    {{"uncertain", Unit::none, kMax, "the same", "1: no source confirmed the figure."},
     [](const RoofTableRow& row) {
         return row.rate ? std::optional<int64_t>(row.rate->uncertain) : std::nullopt;
     }},
    {{"gb_per_s", Unit::none, kNoAggregate, "the same", "Of memory, 10^9 bytes a second.",
      Priority::normal, kByBandwidth, "GB/s"},
     [](const RoofTableRow& row) { return positive(row.memory / 1e9); }},
    {{"ridge", Unit::none, kNoAggregate, "the same",
      "Operations per byte at which the roof becomes flat.", Priority::normal, kByBoth},
     [](const RoofTableRow& row) {
         return row.rate ? known_ratio(row.rate->per_second, row.memory) : std::nullopt;
     }},
    {{"source", Unit::none, kDistinct, "the same", "Source of the figures."},
     [](const RoofTableRow& row) {
         return row.peaks ? known_text(row.peaks->specs.source) : std::nullopt;
     }},
    {{"remark", Unit::none, kDistinct, "nothing to say",
      "Which figures were guessed, scaled, or given by the user."},
     [](const RoofTableRow& row) {
         return row.peaks ? known_text(row.peaks->remark) : std::nullopt;
     }},
    {{"uncertain_bandwidth", Unit::none, kMax, "the same",
      "1: no source confirmed the memory's bandwidth."},
     [](const RoofTableRow& row) {
         return row.memory > 0 ? std::optional<int64_t>(row.peaks->memory_uncertain) : std::nullopt;
     }},
});

// The lower of the peak and of what the bandwidth allows.
void set_roof(const DevicePeaks& peaks, RooflineTableRow& row) {
    if (!row.rate) return;
    row.roof = row.rate->per_second;
    row.uncertain_roof = row.rate->uncertain;
    const double by_bandwidth = peaks.memory_bytes_s * row.intensity().value_or(0);
    if (peaks.memory_bytes_s <= 0 || row.bytes <= 0 || by_bandwidth >= row.roof) return;
    row.roof = by_bandwidth;
    row.uncertain_roof = peaks.memory_uncertain;
}

}  // namespace

const TableOf<RooflineTableRow> kRooflineTable = {
    {"roofline", "Operators: operations per byte and per second, compared with the device's roof."},
    kRooflineColumns,
    [](const RooflineTableRow& row) {
        return RowTarget{row.model.longest, {}};
    }};
const TableOf<RoofTableRow> kRooflineByRoofTable = {
    {"roofline", "Roofs of the trace's devices, for the types that were used.", "roof"},
    kRoofColumns};

Table roofline_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const WorkModels& models = context.get<WorkModels>();
    TableBuilder table(kRooflineTable);
    std::string shapes;
    for (const ModelRow& model : model_rows(context, query)) {
        const OperatorCall& call = models.calls[model.call];
        const Work& work = call.modelled.work;
        if (model.device < 0 || work.flops.n == kNoValue || call.modelled.cut) continue;
        const auto calls = static_cast<double>(model.calls);
        RooflineTableRow row{trace, call, model, spelled_shapes(trace, call.dims, shapes)};
        row.flop = static_cast<double>(work.flops.n) * calls;
        row.bytes = static_cast<double>((work.bytes_read + work.bytes_written).n) * calls;
        const auto& peaks = models.devices[static_cast<std::size_t>(model.device)].peaks;
        if (peaks) row.rate = peaks->rate(model.type, model.pipe);
        if (peaks) set_roof(*peaks, row);
        table.add(row);
    }
    return table.take();
}

Table roofline_by_roof_table(const TraceContext& context, const TableQuery& query) {
    const WorkModels& models = context.get<WorkModels>();
    TableBuilder table(kRooflineByRoofTable);
    std::set<std::tuple<int32_t, Spec>> seen;
    for (const ModelRow& row : model_rows(context, query)) {
        if (row.device < 0) continue;
        const ModelDevice& device = models.devices[static_cast<std::size_t>(row.device)];
        const auto rate = device.peaks ? device.peaks->rate(row.type, row.pipe) : std::nullopt;
        if (rate && seen.emplace(row.device, rate->spec).second) table.add({device, &*rate});
    }
    for (std::size_t i = 0; i < models.devices.size(); ++i) {
        const bool has = std::ranges::any_of(
            seen, [&](const auto& key) { return std::get<0>(key) == static_cast<int32_t>(i); });
        if (!has) table.add({models.devices[i], nullptr});
    }
    return table.take();
}

}  // namespace lanescope
