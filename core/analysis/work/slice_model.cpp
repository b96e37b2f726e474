#include "core/analysis/work/slice_model.h"

#include <algorithm>

#include "core/analysis/gpu/occupancy_queries.h"
#include "core/trace/query.h"

namespace lanescope {

namespace {

void add_peaks(SliceModel& model, const WorkModels& models, int32_t device, Pipe pipe) {
    if (device < 0) return;
    const auto& peaks = models.devices[static_cast<std::size_t>(device)].peaks;
    if (!peaks) return;
    model.in_sheet = true;
    model.memory_bytes_s = peaks->memory_bytes_s;
    model.memory_uncertain = peaks->memory_uncertain;
    model.remark = peaks->remark;
    if (model.type != DataType::unknown) model.peak = peaks->rate(model.type, pipe);
}

void add_operator(SliceModel& model, const WorkModels& models, const ModelledOperator& op) {
    const Work& work = models.work(op);
    model.quality = work.quality;
    model.note = work.note;
    model.type = op.type;
    add_peaks(model, models, op.device, op.pipe);
}

SliceModel of_activity(const TraceContext& context, uint32_t row) {
    const Trace& trace = context.trace();
    const WorkModels& models = context.get<WorkModels>();
    const KernelCost& cost = models.costs[row];
    SliceModel model;
    model.slice = trace.gpu_activities.slice[row];
    model.why = cost.why;
    model.time = trace.duration(model.slice);
    model.flop = cost.flop;
    model.bytes = cost.bytes;
    model.floor_ns = cost.floor_ns;
    model.bound = cost.bound;
    model.below = cost.below;
    model.uncertain = cost.uncertain;
    model.inherited = cost.inherited;
    model.planned = context.get<PlannedByQuery>().by_row[row] != 0;
    if (cost.instance != kNoRow)
        add_operator(model, models, models.instances[cost.instance]);
    else if (!models.devices.empty())
        model.in_sheet = std::ranges::all_of(
            models.devices, [](const ModelDevice& d) { return d.peaks.has_value(); });
    return model;
}

}  // namespace

std::optional<SliceModel> slice_model(const TraceContext& context, SliceRef slice) {
    const Trace& trace = context.trace();
    if (const uint32_t row = find_row(trace.gpu_activities.slice, slice); row != kNoRow)
        return of_activity(context, row);
    const WorkModels& models = context.get<WorkModels>();
    const auto op = std::ranges::lower_bound(models.instances, slice, {}, &ModelledOperator::slice);
    if (op == models.instances.end() || op->slice != slice) return std::nullopt;
    const Work& work = models.work(*op);
    SliceModel model;
    model.slice = slice;
    if (models.calls[op->call].modelled.cut) model.why = NoModel::cut;
    model.time = op->count > 0 ? op->kernel_time : trace.duration(slice);
    model.flop = work.flops.n;
    model.bytes = (work.bytes_read + work.bytes_written).n;
    model.floor_ns = op->floor_ns;
    model.bound = op->bound;
    model.below = op->below;
    model.uncertain = op->uncertain;
    add_operator(model, models, *op);
    return model;
}

}  // namespace lanescope
