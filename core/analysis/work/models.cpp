#include "core/analysis/work/models.h"

#include <map>
#include <string>
#include <tuple>

#include "core/analysis/operators/torch_flops.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/work/work_models.h"
#include "core/table/cells.h"

namespace lanescope {

namespace {

using enum ValueType;

constexpr std::array kColumns = {
    kOperatorColumn,
    kShapesColumn,
    ColumnSpec{"device", integer, Unit::none, "on the CPU, or not recorded", "Ordinal of the GPU."},
    kModelCallsColumn,
    ColumnSpec{"flop", integer, Unit::flop, "the model knows bytes only",
               "Operations of all calls; of attention those that a mask leaves."},
    ColumnSpec{"flop_dense", integer, Unit::flop, "the model knows bytes only",
               "The same without a mask."},
    ColumnSpec{"bytes", integer, Unit::bytes, "", "Read and written at least, by all calls."},
    ColumnSpec{"bytes_read", integer, Unit::bytes, "only the sum is known", "Every input once."},
    ColumnSpec{"bytes_written", integer, Unit::bytes, "only the sum is known",
               "Every result once."},
    kDtypeColumn,
    ColumnSpec{"peak", text, Unit::none, "the device is not in the sheet",
               "Figure of the device's data sheet with which operations are compared; followed by "
               "? if not confirmed."},
    ColumnSpec{"quality", text, Unit::none, "", "exact, at least, at most, or inferred."},
    ColumnSpec{"kernel_ns", integer, Unit::nanoseconds, "no GPU in the trace",
               "Time of all its kernels, helpers too."},
    ColumnSpec{"floor_ns", integer, Unit::nanoseconds, "the device or the least work is not known",
               "The larger of operations ÷ peak and bytes ÷ bandwidth, of each call.",
               kByUncertain},
    ColumnSpec{"lost_ns", integer, Unit::nanoseconds, "there is no floor",
               "Time of its kernels beyond the floor, of each call.", kByUncertain},
    ColumnSpec{"tflop_per_s", real, Unit::none, "no time, or no operations known",
               "10^12 operations ÷ time of its kernels."},
    ColumnSpec{"gb_per_s", real, Unit::none, "no time", "10^9 bytes ÷ time of its kernels."},
    ColumnSpec{"bound", text, Unit::none, "",
               "Of most of its kernels' time: compute, memory, latency (part of a wave, or under "
               "5 µs), or unknown."},
    ColumnSpec{"note", text, Unit::none, "nothing to say",
               "What to know of the model or the floor."},
    kUncertainColumn,
};

constexpr std::array kCoverageColumns = {
    ColumnSpec{"reason", text, Unit::none, "", "model, or why there is none."},
    ColumnSpec{"kernels", integer, Unit::count, "", "Kernels that begin in the range."},
    ColumnSpec{"kernel_ns", integer, Unit::nanoseconds, "", "Their time."},
    ColumnSpec{"share", real, Unit::ratio, "no kernel took any time", "Part of all kernels' time."},
    ColumnSpec{"longest_operator", text, Unit::none, "none is known",
               "The operator with most of that time."},
    ColumnSpec{"operator_ns", integer, Unit::nanoseconds, "none is known", "Its part."},
};

}  // namespace

const TableSpec kModelsTable = {
    "models", "Operators: their work by shapes, its minimum time, and the lost time.", kColumns};
const TableSpec kModelsByCoverageTable = {
    "models", "The part of kernel time that has a model, and why the rest has none.",
    kCoverageColumns, "coverage"};

std::string_view peak_name(const WorkModels& models, int32_t device, DataType type, Pipe pipe,
                           std::string& buffer) {
    if (device < 0) return {};
    const auto& peaks = models.devices[static_cast<std::size_t>(device)].peaks;
    const auto rate = peaks ? peaks->rate(type, pipe) : std::nullopt;
    if (!rate) return {};
    buffer = spec_name(rate->spec);
    if (rate->uncertain) buffer += '?';
    return buffer;
}

std::vector<ModelRow> model_rows(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const WorkModels& models = context.get<WorkModels>();
    std::map<std::tuple<uint32_t, int32_t, DataType, Pipe>, std::pair<ModelRow, CostSums>> found;
    std::map<uint32_t, Nanos> longest;
    for (const ModelledOperator& op : models.instances) {
        const SliceRef first =
            op.count > 0 ? trace.gpu_activities.slice[models.kernels[op.first]] : op.slice;
        if (query.range && !query.range->contains(trace.start(first))) continue;
        auto& [row, sums] = found[{op.call, op.device, op.type, op.pipe}];
        row.calls += 1;
        row.kernel_time += op.kernel_time;
        row.floor_ns += op.floor_ns;
        row.lost_ns += lost_ns(static_cast<double>(op.kernel_time), op.floor_ns);
        row.below = std::max(row.below, op.below);
        row.uncertain = row.uncertain || op.uncertain;
        for (uint32_t i = op.first; i < op.first + op.count; ++i) {
            const uint32_t kernel = models.kernels[i];
            if (models.costs[kernel].why == NoModel::none)
                sums.add(models.costs[kernel], trace.duration(trace.gpu_activities.slice[kernel]));
        }
        const Nanos time = op.count > 0 ? op.kernel_time : trace.duration(op.slice);
        if (!row.longest || time > longest[op.call]) {
            row.longest = op.slice;
            longest[op.call] = time;
        }
    }
    std::vector<ModelRow> rows;
    for (auto& [key, value] : found) {
        ModelRow& row = value.first;
        std::tie(row.call, row.device, row.type, row.pipe) = key;
        row.bound = value.second.bound();
        rows.push_back(row);
    }
    std::ranges::stable_sort(rows, std::greater(), &ModelRow::kernel_time);
    return rows;
}

std::string_view spelled_shapes(const Trace& trace, StringId dims, std::string& buffer) {
    const auto shapes = parse_shapes(trace.strings[dims]);
    if (!shapes) return trace.strings[dims];
    buffer = spell_shapes(*shapes);
    return buffer;
}

Table models_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const WorkModels& models = context.get<WorkModels>();
    Table table(kModelsTable);
    std::string peak;
    std::string shapes;
    for (const ModelRow& row : model_rows(context, query)) {
        const OperatorCall& call = models.calls[row.call];
        const Work& work = call.modelled.work;
        const auto times = [&](Count one) {
            return one.n == kNoValue ? Cell() : Cell((one * Count(row.calls)).n);
        };
        // Rates computed from cut numbers would be meaningless.
        const double time = call.modelled.cut ? 0 : static_cast<double>(row.kernel_time);
        const Cell flop = times(work.flops);
        const Cell bytes = times(work.bytes_read + work.bytes_written);
        const auto calls = static_cast<double>(row.calls);
        const auto one = static_cast<double>((work.bytes_read + work.bytes_written).n);
        const Cell operations =
            work.flops.n == kNoValue
                ? Cell()
                : tera_per_second(calls * static_cast<double>(work.flops.n), time);
        const bool on_gpu = row.device >= 0;
        const auto whole = [](double ns) {
            return std::isnan(ns) ? Cell() : Cell(std::llround(ns));
        };
        const bool floor = on_gpu && !std::isnan(row.floor_ns);
        const std::string_view below = below_floor_reason(row.below);
        table.add_row({trace.strings[call.name],
                       spelled_shapes(trace, call.dims, shapes),
                       on_gpu && models.devices[static_cast<std::size_t>(row.device)].id >= 0
                           ? Cell(int64_t{models.devices[static_cast<std::size_t>(row.device)].id})
                           : Cell(),
                       row.calls,
                       flop,
                       times(work.flops_dense),
                       bytes,
                       work.one_sum ? Cell() : times(work.bytes_read),
                       work.one_sum ? Cell() : times(work.bytes_written),
                       data_type_name(row.type),
                       text_cell(peak_name(models, row.device, row.type, row.pipe, peak)),
                       quality_name(work.quality),
                       on_gpu ? Cell(row.kernel_time) : Cell(),
                       floor ? whole(row.floor_ns) : Cell(),
                       floor ? whole(row.lost_ns) : Cell(),
                       operations,
                       giga_per_second(calls * one, time),
                       work_bound_name(row.bound),
                       text_cell(below.empty() ? work.note : below),
                       floor ? Cell(int64_t{row.uncertain}) : Cell()},
                      {row.longest, {}});
    }
    return table;
}

Table models_by_coverage_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const WorkModels& models = context.get<WorkModels>();
    const std::vector<SliceRef>& op_of = context.get<Attribution>().op;
    struct Sum {
        int64_t kernels = 0;
        Nanos time = 0;
        std::map<StringId, Nanos> of_operator;
        SliceRef longest;
        Nanos longest_time = -1;
    };
    std::map<NoModel, Sum> sums;
    Nanos all = 0;
    for (uint32_t row = 0; row < models.costs.size(); ++row) {
        const SliceRef slice = trace.gpu_activities.slice[row];
        if (query.range && !query.range->contains(trace.start(slice))) continue;
        if (trace.event_class(slice) == EventClass::memory) continue;
        // A helper's time belongs to its operator.
        const NoModel why = models.costs[row].why;
        Sum& sum = sums[why == NoModel::helper ? NoModel::none : why];
        const Nanos time = trace.duration(slice);
        sum.kernels += 1;
        sum.time += time;
        all += time;
        const SliceRef op = op_of[row];
        if (op) sum.of_operator[trace.name_id(op)] += time;
        if (time > sum.longest_time) {
            sum.longest = slice;
            sum.longest_time = time;
        }
    }
    Table table(kModelsByCoverageTable);
    for (const auto& [why, sum] : sums) {
        const auto most = std::ranges::max_element(sum.of_operator, {},
                                                   [](const auto& entry) { return entry.second; });
        const bool has = most != sum.of_operator.end();
        table.add_row(
            {why == NoModel::none ? Cell(std::string_view("model")) : Cell(no_model_reason(why)),
             sum.kernels, sum.time,
             all > 0 ? Cell(static_cast<double>(sum.time) / static_cast<double>(all)) : Cell(),
             has ? Cell(trace.strings[most->first]) : Cell(), has ? Cell(most->second) : Cell()},
            {sum.longest, {}});
    }
    return table;
}

}  // namespace lanescope
