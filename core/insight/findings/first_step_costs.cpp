// Warm-up: the first steps load modules, choose algorithms and grow the allocator's memory.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/analysis/gpu/dead_windows.h"
#include "core/analysis/structure/device_steps.h"
#include "core/base/format.h"
#include "core/insight/findings/first_calls.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/slow_calls.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

struct FirstStepCostsRule : RuleBase {
    static constexpr RuleText kText = {"first-step-costs", "The first steps take longer",
                                       "steps, or calls of the runtime"};
    double min_share =
        ratio("min_share", 0.05,
              "time beyond the steady median in warm-up steps, or without such steps idle time in "
              "first calls and calls that load code; as a share of the steps or the span");
    Nanos min_excess =
        duration("min_excess", 300'000,
                 "an operator's first call counts if it takes this much longer than the others");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<FirstStepCostsRule>();

namespace {

struct WarmUp {
    uint64_t steps = 0;
    Nanos excess = 0;  // beyond the median of the other steps
    Intervals times;
    Intervals host;  // when the host is in these steps
    std::vector<FindingPlace> places;
};

WarmUp warm_up_of(const RuleInput& input, const DeviceWindow& device) {
    const SummarySteps& steps = input.summary.steps;
    const Steps& all = input.context.get<Steps>();
    const DeviceSteps& device_steps = input.context.get<DeviceSteps>();
    WarmUp warm_up;
    std::vector<TimeRange> ranges, host;
    for (const SummaryStep& row : steps.all) {
        const Step& step = all.all[row.step];
        if (!row.warm_up || !device.summary->users[step.process] || !is_inside(input, step.range))
            continue;
        ++warm_up.steps;
        warm_up.excess += row.time - static_cast<Nanos>(steps.median);
        host.push_back(step.range);
        ranges.push_back(device_steps.all[row.step].window);
        warm_up.places.push_back({step.slice, step.range,
                                  step.slice ? step.slice.lane : SliceRef::no_index,
                                  full_step_label(input.trace(), all, row.step)});
    }
    warm_up.times = merged(std::move(ranges));
    warm_up.host = merged(std::move(host));
    return warm_up;
}

constexpr double kNotablePart = 0.1;  // of what warm-up takes longer

// The longest time in which a call of a warm-up step calls nothing.
void add_dead_window(const RuleInput& input, const WarmUp& warm_up, Finding& finding) {
    const DeadWindow* longest = nullptr;
    const Column<DeadWindow>& windows = input.context.get<AllDeadWindows>().rows;
    for (const DeadWindow& window : windows)
        if (window.is_dead() && covered_length(warm_up.host, window.range) > 0 &&
            (!longest || window.range.length() > longest->range.length()))
            longest = &window;
    if (!longest || static_cast<double>(longest->range.length()) <
                        kNotablePart * static_cast<double>(warm_up.excess))
        return;
    const Trace& trace = input.trace();
    const SliceRef next = longest->before();
    finding.evidence.push_back(
        duration_of(fmt::format("{} calls nothing{}", trace.name(longest->parent()),
                                next ? fmt::format(" before {}", trace.name(next)) : std::string()),
                    longest->range.length(), "dead-windows.duration_ns"));
}

// The operator whose mean exceeds that of the other steps by most time in all.
void add_slow_operator(const RuleInput& input, const WarmUp& warm_up, Finding& finding) {
    const Trace& trace = input.trace();
    struct Calls {
        Nanos time = 0;
        Nanos count = 0;
        double mean() const { return static_cast<double>(time) / static_cast<double>(count); }
    };
    std::map<StringId, std::pair<Calls, Calls>> by_name;  // in warm-up, in other steps
    const Intervals steady = steady_steps_of(input);
    for (const SliceRef op : trace.operators.slice) {
        if (trace.event_class(op) != EventClass::op || trace.lanes[op.lane].derived) continue;
        const TimeRange at{trace.start(op), trace.start(op) + 1};
        const bool warm = covered_length(warm_up.host, at) > 0;
        if (!warm && covered_length(steady, at) == 0) continue;
        auto& both = by_name[trace.name_id(op)];
        Calls& calls = warm ? both.first : both.second;
        calls.time += trace.duration(op);
        ++calls.count;
    }
    double most = kNotablePart * static_cast<double>(warm_up.excess);
    const std::pair<const StringId, std::pair<Calls, Calls>>* found = nullptr;
    for (const auto& one : by_name) {
        const auto& [warm, other] = one.second;
        if (warm.count == 0 || other.count == 0) continue;
        const double more =
            static_cast<double>(warm.time) - other.mean() * static_cast<double>(warm.count);
        if (more <= most) continue;
        most = more;
        found = &one;
    }
    if (!found) return;
    finding.evidence.push_back(
        {fmt::format("{} takes longer than in the other steps, where it takes {}",
                     trace.strings[found->first], format_duration(found->second.second.mean())),
         found->second.first.mean(), "ns", "operators.cpu_total_ns"});
}

Finding of_steps(const RuleInput& input, const DeviceWindow& device, WarmUp warm_up) {
    Finding finding = finding_on(device, warm_up.excess);
    finding.cost_per_step = {};  // it is no cost of the steady steps
    // The window contains only steady steps, so the share is relative to all steps.
    const Nanos all = device.length + total_length(warm_up.times);
    finding.share =
        static_cast<double>(warm_up.excess) / static_cast<double>(std::max<Nanos>(all, 1));
    finding.severity = severity_of(finding.share);
    finding.title =
        fmt::format("{} {} longer than the median of the others",
                    format_count(warm_up.steps, "warm-up step takes", "warm-up steps take"),
                    format_duration(warm_up.excess));
    finding.evidence = slow_calls(input, device, SlowCallsIn::warm_up, warm_up.times).evidence;
    const Nanos compiled = total_length(compilation_idle(input, device, warm_up.times));
    if (compiled > 0)
        finding.evidence.insert(
            finding.evidence.begin(),
            duration_of("idle while kernels are compiled or loaded", compiled, "gaps.duration_ns"));
    add_dead_window(input, warm_up, finding);
    add_slow_operator(input, warm_up, finding);
    if (finding.evidence.empty())
        finding.evidence.push_back(
            {"warm-up steps", static_cast<double>(warm_up.steps), "count", "steps.warm_up"});
    finding.places = std::move(warm_up.places);
    return finding;
}

// Without warm-up steps: calls that load code or allocate memory, and first calls of operators.
Finding of_calls(const DeviceWindow& device, SlowCalls slow, FirstCalls first) {
    Finding finding = finding_on(device, total_length(unite(slow.idle, first.calls.idle)));
    finding.cost_per_step = {};  // occurs once
    const Nanos loading = total_length(slow.idle);
    const bool mostly_first = total_length(subtract(first.calls.idle, slow.idle)) > loading;
    finding.title =
        mostly_first
            ? fmt::format("The GPU idles for {} in the first calls of operators, which take longer",
                          format_duration(*finding.cost))
            : fmt::format("The GPU idles for {} while code is loaded and memory allocated",
                          format_duration(*finding.cost));
    if (mostly_first) {
        finding.confidence = first.loads_code ? Confidence::certain : Confidence::likely;
        finding.evidence.push_back(remark(
            first.loads_code
                ? "CUDA loads kernels in most of them (Lazy Function Loading)"
                : "they launch a kernel for the first time in this trace; what they do before is "
                  "not recorded"));
    }
    SlowCalls& more = mostly_first ? first.calls : slow;
    const SlowCalls& rest = mostly_first ? slow : first.calls;
    finding.evidence.insert(finding.evidence.end(), more.evidence.begin(), more.evidence.end());
    finding.evidence.insert(finding.evidence.end(), rest.evidence.begin(), rest.evidence.end());
    finding.places = std::move(more.places);
    finding.times = unite(slow.idle, first.calls.idle);
    return finding;
}

// Empty: the cost depends on idle time, which is unknown.
std::optional<Finding> first_costs(const RuleInput& input, const DeviceWindow& device,
                                   Nanos min_excess) {
    if (WarmUp warm_up = warm_up_of(input, device); device.steps > 0 && warm_up.steps > 0)
        return of_steps(input, device, std::move(warm_up));
    if (device.missing.hides_idle()) return {};
    return of_calls(
        device, device.steps > 0 ? SlowCalls() : slow_calls(input, device, SlowCallsIn::anywhere),
        first_calls(input, device, min_excess));
}

}  // namespace

std::optional<Finding> FirstStepCostsRule::on_device(const RuleInput& input,
                                                     const DeviceWindow& device) const {
    if (device.length <= 0) return {};
    std::optional<Finding> finding = first_costs(input, device, min_excess);
    if (!finding || *finding->cost <= 0 || finding->share < min_share) return {};
    finding->advice =
        "This happens once: leave warm-up out of what you measure "
        "(torch.profiler.schedule(wait=1, warmup=1, …)). In short runs and services it counts: "
        "warm up before the first request, keep CUDA_MODULE_LOADING=LAZY, cache compiled "
        "kernels, and allocate the largest batch first.";
    return finding;
}

}  // namespace lanescope
