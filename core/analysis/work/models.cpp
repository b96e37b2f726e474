#include "core/analysis/work/models.h"

#include <map>
#include <string>
#include <tuple>

#include "core/analysis/operators/torch_flops.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/work/work_models.h"
#include "core/table/cells.h"

namespace lanescope {

struct ModelTableRow {
    const Trace& trace;
    const WorkModels& models;
    const ModelRow& model;
    std::string_view shapes;
    std::string_view peak;  // empty: not known
    const OperatorCall& call = models.calls[model.call];
    const Work& work = call.modelled.work;

    bool on_gpu() const { return model.device >= 0; }
    bool has_floor() const { return on_gpu() && !std::isnan(model.floor_ns); }
    std::optional<int64_t> device() const {
        if (!on_gpu()) return std::nullopt;
        const int64_t id = models.devices[static_cast<std::size_t>(model.device)].id;
        return id < 0 ? std::nullopt : std::optional(id);
    }
    // `one` multiplied by the number of calls.
    std::optional<int64_t> times(Count one) const {
        return one.n == kNoValue ? std::nullopt : std::optional((one * Count(model.calls)).n);
    }
    // Likewise; unknown if the model has only the sum of bytes read and written.
    std::optional<int64_t> part(Count one) const {
        return work.one_sum ? std::nullopt : times(one);
    }
    Count moved() const { return work.bytes_read + work.bytes_written; }
    double sum(Count one) const {
        return static_cast<double>(model.calls) * static_cast<double>(one.n);
    }
    // Rates computed from cut numbers would be meaningless.
    double time() const { return call.modelled.cut ? 0 : static_cast<double>(model.kernel_time); }
    std::optional<int64_t> with_floor(double ns) const {
        return has_floor() && !std::isnan(ns) ? std::optional(std::llround(ns)) : std::nullopt;
    }
    std::optional<int64_t> uncertain() const {
        return has_floor() ? std::optional<int64_t>(model.uncertain) : std::nullopt;
    }
    std::optional<std::string_view> note() const {
        const std::string_view below = below_floor_reason(model.below);
        return known_text(below.empty() ? work.note : below);
    }
};

// The kernels with one reason for having no model, or with a model.
struct CoverageTableRow {
    const Trace& trace;
    NoModel why = NoModel::none;
    int64_t kernels = 0;
    Nanos time = 0;
    Nanos all = 0;                   // of all kernels
    StringId op = StringPool::none;  // the operator with most of that time; none: not known
    Nanos op_time = 0;
    SliceRef longest;
};

namespace {

constexpr auto kModelColumns = columns<ModelTableRow>({
    kOperatorColumn,
    kShapesColumn,
    {{"device", Unit::none, kDistinct, "on the CPU, or not recorded", "Ordinal of the GPU.",
      Priority::detail},
     [](const ModelTableRow& row) { return row.device(); }},
    kModelCallsColumn,
    {{"flop", Unit::flop, kSum, "the model knows bytes only",
      "Operations of all calls; for attention, only operations that a mask leaves."},
     [](const ModelTableRow& row) { return row.times(row.work.flops); }},
    {{"flop_dense", Unit::flop, kSum, "the model knows bytes only",
      "Operations of all calls as if there were no mask.", Priority::detail},
     [](const ModelTableRow& row) { return row.times(row.work.flops_dense); }},
    {{"bytes", Unit::bytes, kSum, "", "Minimum of bytes that all calls must read and write."},
     [](const ModelTableRow& row) { return (row.moved() * Count(row.model.calls)).n; }},
    {{"bytes_read", Unit::bytes, kSum, "only the sum is known", "Bytes read: every input once.",
      Priority::detail},
     [](const ModelTableRow& row) { return row.part(row.work.bytes_read); }},
    {{"bytes_written", Unit::bytes, kSum, "only the sum is known",
      "Bytes written: every result once.", Priority::detail},
     [](const ModelTableRow& row) { return row.part(row.work.bytes_written); }},
    kDtypeColumn,
    {{"peak", Unit::none, kDistinct, "the device is not in the sheet",
      "Figure of the device's data sheet with which operations are compared; followed by ? if not "
      "confirmed."},
     [](const ModelTableRow& row) { return known_text(row.peak); }},
    {{"quality", Unit::none, kDistinct, "", "exact, at least, at most, or inferred."},
     [](const ModelTableRow& row) { return quality_name(row.work.quality); }},
    {shown_first({"kernel_ns", Unit::nanoseconds, kSum, "no GPU in the trace",
                  "Time of all its kernels, including helpers."}),
     [](const ModelTableRow& row) {
         return row.on_gpu() ? std::optional(row.model.kernel_time) : std::nullopt;
     }},
    {{"floor_ns", Unit::nanoseconds, kSum, "the device or the least work is not known",
      "The larger of operations ÷ peak and bytes ÷ bandwidth, of each call.", Priority::first,
      kByUncertain},
     [](const ModelTableRow& row) { return row.with_floor(row.model.floor_ns); }},
    {{"lost_ns", Unit::nanoseconds, kSum, "there is no floor",
      "Time of its kernels beyond the floor, of each call.", Priority::first, kByUncertain},
     [](const ModelTableRow& row) { return row.with_floor(row.model.lost_ns); }},
    {{"tflop_per_s",
      Unit::none,
      kNoAggregate,
      "no time, or no operations known",
      "10^12 operations ÷ time of its kernels.",
      Priority::normal,
      {},
      "TFLOP/s"},
     [](const ModelTableRow& row) {
         return row.work.flops.n == kNoValue ? std::nullopt
                                             : tera_per_second(row.sum(row.work.flops), row.time());
     }},
    {{"gb_per_s",
      Unit::none,
      kNoAggregate,
      "no time",
      "10^9 bytes ÷ time of its kernels.",
      Priority::normal,
      {},
      "GB/s"},
     [](const ModelTableRow& row) { return giga_per_second(row.sum(row.moved()), row.time()); }},
    {shown_first(
         {"bound", Unit::none, kDistinct, "",
          "What bounds most of its kernels' time: compute, memory, latency (part of a wave, or "
          "under 5 "
          "µs), or unknown."}),
     [](const ModelTableRow& row) { return work_bound_name(row.model.bound); }},
    {{"note", Unit::none, kDistinct, "nothing to say", "A remark on the model or the floor."},
     [](const ModelTableRow& row) { return row.note(); }},
    kUncertainColumn,
});

constexpr auto kCoverageColumns = columns<CoverageTableRow>({
    {{"reason", Unit::none, kDistinct, "", "model, or why there is none."},
     [](const CoverageTableRow& row) {
         return row.why == NoModel::none ? std::string_view("model") : no_model_reason(row.why);
     }},
    {{"kernels", Unit::count, kSum, "", "Kernels that begin in the range."},
     [](const CoverageTableRow& row) { return row.kernels; }},
    {{"kernel_ns", Unit::nanoseconds, kSum, "", "Their time."},
     [](const CoverageTableRow& row) { return row.time; }},
    {{"share", Unit::ratio, kSum, "no kernel took any time", "Part of all kernels' time."},
     [](const CoverageTableRow& row) {
         return known_ratio(static_cast<double>(row.time), static_cast<double>(row.all));
     }},
    {{"longest_operator", Unit::none, kDistinct, "none is known",
      "The operator with most of that time."},
     [](const CoverageTableRow& row) {
         return row.op == StringPool::none ? std::nullopt
                                           : std::optional(row.trace.strings[row.op]);
     }},
    {{"operator_ns", Unit::nanoseconds, kSum, "none is known", "Time of that operator's kernels."},
     [](const CoverageTableRow& row) {
         return row.op == StringPool::none ? std::nullopt : std::optional(row.op_time);
     }},
});

}  // namespace

const TableOf<ModelTableRow> kModelsTable = {
    {"models", "Operators: their work by shapes, its minimum time, and the lost time."},
    kModelColumns,
    [](const ModelTableRow& row) {
        return RowTarget{row.model.longest, {}};
    }};
const TableOf<CoverageTableRow> kModelsByCoverageTable = {
    {"models", "The part of kernel time that has a model, and why the rest has none.", "coverage"},
    kCoverageColumns,
    [](const CoverageTableRow& row) {
        return RowTarget{row.longest, {}};
    }};

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

// An operator with kernels counts like the first of them.
bool counts(const Trace& trace, const WorkModels& models, const ModelledOperator& op,
            const TableQuery& query) {
    if (op.count == 0) return query.has(trace.start(op.slice));
    const uint32_t row = models.kernels[op.first];
    return query.has_work(row, trace.start(trace.gpu_activities.slice[row]));
}

std::vector<ModelRow> model_rows(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const WorkModels& models = context.get<WorkModels>();
    std::map<std::tuple<uint32_t, int32_t, DataType, Pipe>, std::pair<ModelRow, CostSums>> found;
    std::map<uint32_t, Nanos> longest;
    for (const ModelledOperator& op : models.instances) {
        if (!counts(trace, models, op, query)) continue;
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
    TableBuilder table(kModelsTable);
    std::string peak;
    std::string shapes;
    for (const ModelRow& row : model_rows(context, query))
        table.add({trace, models, row, spelled_shapes(trace, models.calls[row.call].dims, shapes),
                   peak_name(models, row.device, row.type, row.pipe, peak)});
    return table.take();
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
        if (!query.has_work(row, trace.start(slice))) continue;
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
    TableBuilder table(kModelsByCoverageTable);
    for (const auto& [why, sum] : sums) {
        CoverageTableRow row{.trace = trace,
                             .why = why,
                             .kernels = sum.kernels,
                             .time = sum.time,
                             .all = all,
                             .longest = sum.longest};
        const auto longest = std::ranges::max_element(
            sum.of_operator, {}, [](const auto& entry) { return entry.second; });
        if (longest != sum.of_operator.end()) std::tie(row.op, row.op_time) = *longest;
        table.add(row);
    }
    return table.take();
}

}  // namespace lanescope
