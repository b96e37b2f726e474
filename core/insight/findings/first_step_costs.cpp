// Warm-up: the first steps load modules, choose algorithms and grow the allocator's memory.
#include <fmt/format.h>

#include <array>

#include "core/base/format.h"
#include "core/insight/findings/rule_list.h"
#include "core/insight/findings/slow_calls.h"

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

// Steps of warm-up, and what they take beyond the median of the others.
Nanos excess_of_warm_up(const RuleInput& input, const DeviceWindow& device, Finding& finding) {
    const SummarySteps& steps = input.summary.steps;
    const Steps& all = input.context.get<Steps>();
    Nanos excess = 0;
    uint64_t count = 0;
    for (const SummaryStep& row : steps.all) {
        const Step& step = all.all[row.step];
        if (!row.warm_up || !device.summary->users[step.process]) continue;
        ++count;
        excess += step.range.length() - static_cast<Nanos>(steps.median);
        finding.places.push_back({step.slice, step.range,
                                  step.slice ? step.slice.lane : SliceRef::no_index,
                                  step_label(input.trace(), all, row.step)});
    }
    finding.title = fmt::format("{} beyond the median of the others: {}",
                                format_count(count, "first step takes", "first steps take"),
                                format_duration(excess));
    return excess;
}

std::vector<Finding> find_first(const RuleInput& input) {
    std::vector<Finding> findings;
    for (const DeviceWindow& device : input.devices) {
        Finding found;
        const SlowCalls slow = slow_calls(input, device, SlowCallsIn::anywhere);
        const Nanos cost =
            device.steps > 0 ? excess_of_warm_up(input, device, found) : total_length(slow.idle);
        if (cost <= 0 || device.share(cost) < input.thresholds.of(kFirstId, "min_share")) continue;
        Finding finding = finding_on(kFirstRule, device, cost);
        finding.cost_per_step = {};  // it is no cost of the steady steps
        finding.title = device.steps > 0
                            ? found.title
                            : fmt::format(
                                  "The GPU idles for {} while code is loaded and memory "
                                  "allocated",
                                  format_duration(cost));
        finding.places = device.steps > 0 ? std::move(found.places) : slow.places;
        if (device.steps == 0) finding.times = slow.idle;
        finding.evidence = slow.evidence;
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
