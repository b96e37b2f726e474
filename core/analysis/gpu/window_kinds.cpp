#include "core/analysis/gpu/window_kinds.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/autograd_threads.h"
#include "core/analysis/structure/forward_backward.h"
#include "core/analysis/structure/lane_view.h"

namespace lanescope {

namespace {

// An outermost backward operator.
struct BackwardOp {
    TimeRange range;
    std::optional<LaneId> forward;  // the thread of its forward operator, if known
    bool of_step = false;           // it launches work in a step
};
using BackwardOps = std::vector<BackwardOp>;  // in order of time, without overlaps

// By name: whether autograd's engine calls it.
std::vector<bool> backward_names(const Trace& trace) {
    std::vector<bool> backward(trace.strings.size());
    for (StringId id = 0; id < backward.size(); ++id)
        backward[id] = is_backward_node(trace.strings[id]) ||
                       trace.strings[id].starts_with("torch::autograd::");
    return backward;
}

struct LinkedOp {
    TimeRange range;
    std::optional<LaneId> forward;
};

// The outermost ones. An operator without a number of its own, such as AccumulateGrad or a copy of
// DistributedDataParallel's, belongs to the same pass as the one before.
BackwardOps outermost(std::vector<LinkedOp>& ops) {
    std::ranges::stable_sort(
        ops, {}, [](const LinkedOp& op) { return std::pair(op.range.begin, -op.range.end); });
    BackwardOps found;
    for (const LinkedOp& op : ops) {
        if (found.empty() || op.range.begin >= found.back().range.end)
            found.push_back({op.range, found.empty() ? std::nullopt : found.back().forward, false});
        if (op.forward) found.back().forward = op.forward;
    }
    return found;
}

// By lane; only threads that run autograd's backward pass have any. A thread that also runs forward
// operators, as in training on a CPU, has only those that autograd's engine calls.
std::vector<BackwardOps> backward_ops(const Trace& trace) {
    std::vector<BackwardOps> of_lane(trace.lanes.size());
    const std::vector<Runs> runs = what_lanes_run(trace);
    if (std::ranges::find(runs, Runs::backward) == runs.end()) return of_lane;
    const std::vector<bool> named = backward_names(trace);
    const ForwardBackward pairs(trace);
    std::vector<bool> forwards(trace.lanes.size());
    std::vector<std::vector<LinkedOp>> ops(trace.lanes.size());
    for (uint32_t row = 0; row < trace.operators.slice.size(); ++row) {
        const SliceRef forward = pairs.forward_of_row(row);
        if (!forward) continue;
        const SliceRef op = trace.operators.slice[row];
        ops[op.lane].push_back({{trace.start(op), trace.slice_end(op)}, forward.lane});
        forwards[forward.lane] = true;
    }
    for (LaneId lane = 0; lane < ops.size(); ++lane) {
        if (runs[lane] != Runs::backward) continue;
        const LaneView view(trace.lanes[lane]);
        for (uint32_t i = 0; i < view.size(); ++i)
            if (trace.categories[view.category(i)].event_class == EventClass::op &&
                (!forwards[lane] || named[view.name(i)]))
                ops[lane].push_back({{view.start(i), view.end(i)}, std::nullopt});
        of_lane[lane] = outermost(ops[lane]);
    }
    return of_lane;
}

// Marks the operators that launch work in a step.
void mark_steps(const TraceContext& context, std::vector<BackwardOps>& of_lane) {
    const Trace& trace = context.trace();
    StepCursor steps(context.get<Steps>());
    for (const SliceRef launch : context.get<Attribution>().launch) {
        if (!launch || of_lane[launch.lane].empty()) continue;
        BackwardOps& ops = of_lane[launch.lane];
        const Nanos t = trace.start(launch);
        const auto after = std::ranges::upper_bound(
            ops, t, {}, [](const BackwardOp& op) { return op.range.begin; });
        if (after == ops.begin() || (after - 1)->range.end <= t) continue;
        if (steps.at(trace.lanes[launch.lane].process, t) != kNoRow) (after - 1)->of_step = true;
    }
}

bool explains(Nanos part, TimeRange window) {
    return 10 * part >= 9 * window.length();
}

// From the begin of the first to the end of the last operator in the window.
Nanos length_of_pass(const std::vector<TimeRange>& ops, TimeRange window) {
    const auto first = std::ranges::upper_bound(ops, window.begin, {}, &TimeRange::end);
    const auto after = std::ranges::lower_bound(ops, window.end, {}, &TimeRange::begin);
    if (first >= after) return 0;
    return std::min((after - 1)->end, window.end) - std::max(first->begin, window.begin);
}

}  // namespace

WindowKinds::WindowKinds(const TraceContext& context)
    : trace_(context.trace()), steps_(context.get<Steps>()) {
    const Trace& trace = trace_;
    backward_.resize(trace.processes.size());
    calls_.resize(trace.lanes.size());
    for (const SliceRef call : trace.runtime_calls.slice)
        if ((trace.name_traits[trace.name_id(call)] & kSyncCall) != 0)
            calls_[call.lane].push_back({{trace.start(call), trace.slice_end(call)}, call.index});
    for (std::vector<Call>& calls : calls_) {
        std::ranges::sort(calls, {}, [](const Call& call) { return call.range.begin; });
        Nanos covered = kAllTime.begin;
        std::erase_if(calls, [&](const Call& call) {
            const bool inside = call.range.end <= covered;
            covered = std::max(covered, call.range.end);
            return inside;
        });
    }
    std::vector<BackwardOps> of_lane = backward_ops(trace);
    mark_steps(context, of_lane);
    for (LaneId lane = 0; lane < of_lane.size(); ++lane) {
        if (of_lane[lane].empty()) continue;
        Backward& backward = backward_[trace.lanes[lane].process].emplace_back();
        backward.lane = lane;
        for (const BackwardOp& op : of_lane[lane]) {
            backward.all.push_back(op.range);
            if (op.of_step) append_merged(backward.of_steps, op.range);
            if (op.forward) backward.forward[*op.forward].push_back(op.range);
        }
    }
}

WindowWait WindowKinds::wait_in(LaneId lane, TimeRange window) const {
    if (const Call* const call = call_around(lane, window))
        return {WindowWait::Kind::call, call->index};
    return autograd_in(lane, window);
}

WindowWait WindowKinds::autograd_in(LaneId lane, TimeRange window) const {
    const uint32_t process = trace_.lanes[lane].process;
    WindowWait wait;
    for (const Backward& backward : backward_[process]) {
        if (backward.lane == lane || !explains(length_of_pass(backward.all, window), window))
            continue;
        const uint32_t step = steps_.at(process, window.begin);
        const bool in_step = step != kNoRow && window.end <= steps_.all[step].range.end;
        const auto linked = backward.forward.find(lane);
        if ((linked != backward.forward.end() &&
             explains(length_of_pass(linked->second, window), window)) ||
            (in_step && explains(covered_length(backward.of_steps, window), window)))
            return {WindowWait::Kind::autograd, backward.lane};
        wait.kind = WindowWait::Kind::perhaps_autograd;
    }
    return wait;
}

const WindowKinds::Call* WindowKinds::call_around(LaneId lane, TimeRange window) const {
    const auto& calls = calls_[lane];
    const auto after = std::ranges::lower_bound(calls, window.end, {},
                                                [](const Call& call) { return call.range.begin; });
    if (after == calls.begin()) return nullptr;
    const Call& call = *(after - 1);
    const Nanos common =
        std::min(call.range.end, window.end) - std::max(call.range.begin, window.begin);
    return explains(common, window) ? &call : nullptr;
}

}  // namespace lanescope
