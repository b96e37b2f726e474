// Warm-up: the first steps load modules, choose algorithms and grow the allocator's memory.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/analysis/structure/device_steps.h"
#include "core/base/format.h"
#include "core/insight/findings/rule_list.h"
#include "core/insight/findings/slow_calls.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

namespace {

constexpr std::string_view kFirstId = "first-step-costs";
constexpr std::array kFirstThresholds = {
    ThresholdSpec{"min_share", 0.05, ThresholdUnit::ratio,
                  "time beyond the steady median in warm-up steps, or without steps idle time in "
                  "calls that load code or allocate memory; as a share of the steps or the span"},
};

std::vector<Finding> find_first(const RuleInput& input);

constexpr FindingRule kFirstRule = {kFirstId, "The first steps take longer",
                                    "steps, or calls of the runtime", kFirstThresholds, find_first};

struct WarmUp {
    uint64_t steps = 0;
    Nanos excess = 0;  // beyond the median of the other steps
    Intervals times;
    std::vector<FindingPlace> places;
};

WarmUp warm_up_of(const RuleInput& input, const DeviceWindow& device) {
    const SummarySteps& steps = input.summary.steps;
    const Steps& all = input.context.get<Steps>();
    const DeviceSteps& device_steps = input.context.get<DeviceSteps>();
    WarmUp warm_up;
    std::vector<TimeRange> ranges;
    for (const SummaryStep& row : steps.all) {
        const Step& step = all.all[row.step];
        if (!row.warm_up || !device.summary->users[step.process] || !is_inside(input, step.range))
            continue;
        ++warm_up.steps;
        warm_up.excess += row.time - static_cast<Nanos>(steps.median);
        ranges.push_back(device_steps.all[row.step].window);
        warm_up.places.push_back({step.slice, step.range,
                                  step.slice ? step.slice.lane : SliceRef::no_index,
                                  step_label(input.trace(), all, row.step)});
    }
    warm_up.times = merged(std::move(ranges));
    return warm_up;
}

Finding of_steps(const RuleInput& input, const DeviceWindow& device, WarmUp warm_up) {
    Finding finding = finding_on(kFirstRule, device, warm_up.excess);
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
    if (finding.evidence.empty())
        finding.evidence.push_back(
            {"warm-up steps", static_cast<double>(warm_up.steps), "count", "steps.warm_up"});
    finding.places = std::move(warm_up.places);
    return finding;
}

Finding of_span(const DeviceWindow& device, SlowCalls slow) {
    Finding finding = finding_on(kFirstRule, device, total_length(slow.idle));
    finding.title = fmt::format("The GPU idles for {} while code is loaded and memory allocated",
                                format_duration(*finding.cost));
    finding.evidence = std::move(slow.evidence);
    finding.places = std::move(slow.places);
    finding.times = std::move(slow.idle);
    return finding;
}

std::vector<Finding> find_first(const RuleInput& input) {
    std::vector<Finding> findings;
    for (const DeviceWindow& device : input.devices) {
        if (device.length <= 0) continue;
        Finding finding = device.steps > 0
                              ? of_steps(input, device, warm_up_of(input, device))
                              : of_span(device, slow_calls(input, device, SlowCallsIn::anywhere));
        if (*finding.cost <= 0 || finding.share < input.thresholds.of(kFirstId, "min_share"))
            continue;
        finding.advice =
            "This happens once: leave warm-up out of what you measure "
            "(torch.profiler.schedule(wait=1, warmup=1, …)). In short runs and services it counts: "
            "warm up before the first request, keep CUDA_MODULE_LOADING=LAZY, cache compiled "
            "kernels, and allocate the largest batch first.";
        findings.push_back(std::move(finding));
    }
    return findings;
}

}  // namespace

FindingRule first_step_costs() {
    return kFirstRule;
}

}  // namespace lanescope
