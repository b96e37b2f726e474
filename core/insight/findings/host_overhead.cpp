// Two rules about what the host does before it launches: Python, and autograd's engine.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "core/analysis/structure/lane_view.h"
#include "core/base/format.h"
#include "core/base/intervals.h"
#include "core/insight/findings/advice.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

struct PythonOverheadRule : RuleBase {
    static constexpr RuleText kText = {"python-overhead", "Python holds up launches",
                                       "operators, GPU work and its launches",
                                       RuleAbout::idle_time};
    double min_share =
        ratio("min_share", 0.05,
              "idle time while the launching thread is in no operator, as a share of the steps");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<PythonOverheadRule>();

struct AutogradOverheadRule : RuleBase {
    static constexpr RuleText kText = {"autograd-overhead", "Autograd's engine holds up launches",
                                       "operators, GPU work and its launches",
                                       RuleAbout::idle_time};
    double min_share =
        ratio("min_share", 0.05,
              "idle time while autograd's engine works itself, as a share of the steps");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<AutogradOverheadRule>();

namespace {

bool is_engine_call(std::string_view name) {
    return name.starts_with("autograd::engine::evaluate_function");
}

// The times in which a thread is in calls, and in autograd's engine.
struct ThreadTimes {
    Intervals calls;   // in operators, calls of the runtime, and the profiler
    Intervals engine;  // in autograd's engine itself
    bool has_operators = false;
    bool has_python = false;  // Python frames are recorded on it

    // A thread of autograd's pool is idle, not in Python, while it has nothing to do.
    bool may_be_python() const { return has_python || engine.empty(); }
};

ThreadTimes times_of_thread(const TraceContext& context, LaneId id, const NameTest& is_engine) {
    const Trace& trace = context.trace();
    const CallTree& tree = context.get<CallTrees>().by_lane[id];
    const LaneView lane(trace.lanes[id]);
    UnionOfRows calls;
    UnionOfRows engine;
    UnionOfRows nodes;  // called by the engine
    ThreadTimes times;
    for (uint32_t depth = 0; depth < lane.depth_count(); ++depth) {
        lane.visit_row_of_chunks(depth, [&](const Chunk& chunk, uint32_t i) {
            const EventClass kind = trace.event_class(chunk.name[i], chunk.category[i]);
            times.has_python = times.has_python || kind == EventClass::python;
            const bool is_call = kind == EventClass::op || kind == EventClass::runtime ||
                                 kind == EventClass::overhead || kind == EventClass::sync;
            if (!is_call) return;
            times.has_operators = times.has_operators || kind == EventClass::op;
            const TimeRange range{chunk.start[i], chunk.end(i)};
            calls.add(range);
            if (is_engine(chunk.name[i])) engine.add(range);
            const uint32_t parent =
                tree.parent.empty() ? CallTree::none : tree.parent[chunk.first + i];
            if (parent != CallTree::none && is_engine(lane.name(parent))) nodes.add(range);
        });
        for (UnionOfRows* const all : {&calls, &engine, &nodes}) all->end_row();
    }
    times.calls = std::move(calls).take();
    times.engine = subtract(std::move(engine).take(), std::move(nodes).take());
    return times;
}

// The launch of the work that ends an idle time; behind the last work, the launch of that.
SliceRef launch_after(const RuleInput& input, const DeviceWindow& device, TimeRange idle) {
    const auto& work = device.work->work;
    if (work.empty()) return {};
    auto next = std::ranges::lower_bound(work, idle.end, {},
                                         [](const GpuWork& one) { return one.range.begin; });
    if (next == work.end()) --next;
    return input.attribution.launch[next->row];
}

// The times of each thread that launches GPU work.
struct LaunchingThreads {
    std::map<LaneId, ThreadTimes> all;

    static LaunchingThreads compute(const TraceContext& context) {
        const NameTest is_engine(context.trace().strings, is_engine_call);
        LaunchingThreads threads;
        for (const SliceRef call : context.get<Attribution>().launch)
            if (call && !threads.all.contains(call.lane))
                threads.all.emplace(call.lane, times_of_thread(context, call.lane, is_engine));
        return threads;
    }
};

// A device's idle time of the host, by the thread that launches next.
std::map<LaneId, Intervals> idle_by_thread(const RuleInput& input, const DeviceWindow& device) {
    std::map<LaneId, Intervals> idle_of;
    for (const TimeRange& idle : device.overhead)
        if (const SliceRef launch = launch_after(input, device, idle))
            idle_of[launch.lane].push_back(idle);
    return idle_of;
}

// The parts of a device's idle time of the host in which the thread that launches next does
// something.
struct HeldUp {
    std::vector<TimeRange> times;
    std::vector<FindingPlace> places;
    bool all_frames = true;  // all these threads have Python frames

    void add(LaneId lane, const ThreadTimes& thread, const Intervals& ranges,
             const std::string& name) {
        all_frames = all_frames && (ranges.empty() || thread.has_python);
        for (const TimeRange& range : ranges) {
            times.push_back(range);
            places.push_back({{}, range, lane, name});
        }
    }
};

// The times in which it is in no operator and no call.
HeldUp held_up_by_python(const RuleInput& input, const DeviceWindow& device) {
    const auto& threads = input.context.get<LaunchingThreads>().all;
    HeldUp held;
    for (const auto& [lane, idle] : idle_by_thread(input, device))
        if (const ThreadTimes& thread = threads.at(lane);
            thread.has_operators && thread.may_be_python())
            held.add(lane, thread, subtract(idle, thread.calls),
                     "idle while the host is in Python");
    keep_largest(held.places);
    return held;
}

HeldUp held_up_by_engine(const RuleInput& input, const DeviceWindow& device) {
    const auto& threads = input.context.get<LaunchingThreads>().all;
    HeldUp held;
    for (const auto& [lane, idle] : idle_by_thread(input, device))
        if (const ThreadTimes& thread = threads.at(lane); thread.has_operators)
            held.add(lane, thread, intersect(idle, thread.engine),
                     "idle while autograd's engine works");
    keep_largest(held.places);
    return held;
}

}  // namespace

std::optional<Finding> PythonOverheadRule::on_device(const RuleInput& input,
                                                     const DeviceWindow& device) const {
    HeldUp held = held_up_by_python(input, device);
    auto finding = finding_for(device, min_share, merged(std::move(held.times)));
    if (!finding) return {};
    const bool has_frames = held.all_frames;
    // Only PyTorch programs are known to run Python between operators.
    if (!has_frames && !uses_torch(input.trace())) return {};
    finding->confidence = has_frames ? Confidence::certain : Confidence::likely;
    finding->title = fmt::format(
        "The GPU idles for {} while the thread that launches is {}",
        format_duration(static_cast<double>(*finding->cost)),
        has_frames ? "in Python, outside of operators" : "in no operator, so in Python");
    finding->evidence = {
        {"share of the idle time that the host causes",
         static_cast<double>(*finding->cost) /
             static_cast<double>(std::max<Nanos>(total_length(device.overhead), 1)),
         "ratio", "steps.overhead_ns"}};
    if (!has_frames)
        finding->evidence.push_back(
            remark(input.trace().python_frames.slice.empty()
                       ? "Python functions are not recorded (with_stack=True): which one takes "
                         "the time is not known"
                       : "no Python function is recorded on the thread that launches: which one "
                         "takes the time is not known"));
    finding->advice =
        "Keep Python out of the path between launches: torch.compile or CUDA graphs for the "
        "step, no hooks, logging and checks of tensors' values in the loop, fewer and larger "
        "operators. lanescope record --sample shows the functions.";
    finding->places = std::move(held.places);
    return finding;
}

std::optional<Finding> AutogradOverheadRule::on_device(const RuleInput& input,
                                                       const DeviceWindow& device) const {
    HeldUp held = held_up_by_engine(input, device);
    auto finding = finding_for(device, min_share, merged(std::move(held.times)));
    if (!finding) return {};
    finding->title =
        fmt::format("The GPU idles for {} while autograd's engine works between its nodes",
                    format_duration(static_cast<double>(*finding->cost)));
    finding->evidence = {
        {"share of the idle time that the host causes",
         static_cast<double>(*finding->cost) /
             static_cast<double>(std::max<Nanos>(total_length(device.overhead), 1)),
         "ratio", "steps.overhead_ns"}};
    finding->advice =
        "Let backward have fewer nodes: torch.compile compiles it too, fused modules have one "
        "node each, and parameters that need no gradient should not ask for one. Hooks on "
        "gradients run here as well.";
    finding->places = std::move(held.places);
    return finding;
}

}  // namespace lanescope
