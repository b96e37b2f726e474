#include "core/analysis/work/step_work.h"

#include <set>

#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/call_tree.h"
#include "core/analysis/structure/device_steps.h"
#include "core/analysis/structure/gpu_work.h"
#include "core/analysis/structure/steps.h"
#include "core/analysis/work/models.h"
#include "core/analysis/work/work_models.h"

namespace lanescope {

namespace {

// Whether an operator is part of one of autograd's backward passes.
class BackwardNames {
  public:
    BackwardNames(const Trace& trace, std::span<const CallTree> trees)
        : trace_(trace), trees_(trees), of_name_(trace.strings.size(), 0) {}

    bool is_backward(SliceRef op) {
        const auto& parents = trees_[op.lane].parent;
        for (uint32_t i = op.index; i != CallTree::none;
             i = i < parents.size() ? parents[i] : CallTree::none)
            if (names_backward(trace_.name_id({op.lane, i}))) return true;
        return false;
    }

  private:
    bool names_backward(StringId name) {
        if (of_name_[name] == 0) {
            const std::string_view text = trace_.strings[name];
            const bool is = text.starts_with("autograd::engine::") ||
                            text.find("Backward") != std::string_view::npos ||
                            text.find("_backward") != std::string_view::npos;
            of_name_[name] = is ? 2 : 1;
        }
        return of_name_[name] == 2;
    }

    const Trace& trace_;
    std::span<const CallTree> trees_;
    std::vector<uint8_t> of_name_;  // 0 not yet looked up, 1 no, 2 yes
};

void add_product(StepWork& sums, const WorkModels& models, const ModelledOperator& op,
                 bool backward) {
    if (models.work(op).flops.n == kNoValue) return;
    sums.products += 1;
    sums.flop = sums.flop + models.work(op).flops;
    if (std::isnan(op.compute_ns)) return;
    sums.has_peak = true;
    sums.ideal_ns += op.compute_ns;
    if (!backward) sums.forward_ns += op.compute_ns;
    std::string peak;
    if (!peak_name(models, op.device, op.type, op.pipe, peak).empty())
        sums.peaks[peak] += op.compute_ns;
    sums.uncertain_peak = sums.uncertain_peak || peak.ends_with('?');
}

// The number of devices that each process uses; in files that join ranks each has its own.
std::vector<uint64_t> devices_of_processes(const TraceContext& context) {
    const Trace& trace = context.trace();
    const std::vector<SliceRef>& launches = context.get<Attribution>().launch;
    std::vector<uint64_t> devices(trace.processes.size(), 0);
    for (const GpuDevice& device : context.get<GpuDevices>().all) {
        std::set<uint32_t> processes;
        for (const GpuWork& work : device.work)
            if (const SliceRef launch = launches[work.row])
                processes.insert(trace.lanes[launch.lane].process);
        for (const uint32_t process : processes) ++devices[process];
    }
    return devices;
}

double share(double part, Nanos window, const StepWork& work) {
    const double time = static_cast<double>(window) * static_cast<double>(work.devices);
    return work.has_peak && time > 0 ? part / time : kNoFloor;
}

}  // namespace

void StepWork::add(const StepWork& other) {
    modelled_time += other.modelled_time;
    products += other.products;
    flop = flop + other.flop;
    ideal_ns += other.ideal_ns;
    forward_ns += other.forward_ns;
    has_peak = has_peak || other.has_peak;
    uncertain_peak = uncertain_peak || other.uncertain_peak;
    for (const auto& [peak, ns] : other.peaks) peaks[peak] += ns;
    costs.time += other.costs.time;
    devices = std::max(devices, other.devices);
}

double StepWork::hfu(Nanos window) const {
    return share(ideal_ns, window, *this);
}

double StepWork::mfu(Nanos window) const {
    if (!(forward_ns > 0)) return kNoFloor;  // a backward pass alone gives no estimate
    return share(forward_ns < ideal_ns ? 3 * forward_ns : forward_ns, window, *this);
}

StepWorks step_works(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const WorkModels& models = context.get<WorkModels>();
    const Steps& steps = context.get<Steps>();
    const GpuActivities& gpu = trace.gpu_activities;
    StepWorks works;
    works.steps.resize(steps.all.size());
    works.all.devices = context.get<GpuDevices>().all.size();
    const std::vector<uint64_t> devices = devices_of_processes(context);
    for (std::size_t i = 0; i < steps.all.size(); ++i)
        works.steps[i].devices = devices[steps.all[i].process];
    const std::vector<uint32_t>& step_of_work = context.get<DeviceSteps>().step_of_work;
    const auto work_of = [&](uint32_t step) -> StepWork* {
        return step == kNoRow ? nullptr : &works.steps[step];
    };
    for (uint32_t row = 0; row < models.costs.size(); ++row) {
        if (!query.has_work(row, trace.start(gpu.slice[row])) ||
            trace.event_class(gpu.slice[row]) == EventClass::memory)
            continue;
        const Nanos time = trace.duration(gpu.slice[row]);
        const NoModel why = models.costs[row].why;
        const bool modelled = why == NoModel::none || why == NoModel::helper;
        for (StepWork* const work : {&works.all, work_of(step_of_work[row])}) {
            if (!work) continue;
            work->costs.add(models.costs[row], time);
            if (modelled) work->modelled_time += time;
        }
    }
    BackwardNames names(trace, context.get<CallTrees>().by_lane);
    StepCursor step_at(steps);
    for (const ModelledOperator& op : models.instances) {
        if (!models.work(op).product) continue;
        const uint32_t row = op.count > 0 ? models.kernels[op.first] : kNoRow;
        const Nanos called = trace.start(op.slice);
        if (row == kNoRow ? !query.has(called) : !query.has_work(row, trace.start(gpu.slice[row])))
            continue;
        const bool backward = names.is_backward(op.slice);
        add_product(works.all, models, op, backward);
        const uint32_t step = row != kNoRow
                                  ? step_of_work[row]
                                  : step_at.at(trace.lanes[op.slice.lane].process, called);
        if (StepWork* const work = work_of(step)) add_product(*work, models, op, backward);
    }
    return works;
}

TimeRange gpu_span(const TraceContext& context) {
    std::optional<TimeRange> all;
    for (const GpuDevice& device : context.get<GpuDevices>().all) {
        const TimeRange span = span_of(device.work);
        all =
            all ? TimeRange{std::min(all->begin, span.begin), std::max(all->end, span.end)} : span;
    }
    return all.value_or(TimeRange{});
}

}  // namespace lanescope
