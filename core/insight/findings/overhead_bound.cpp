// The GPU idles because the host launches its work too late.
#include <fmt/format.h>

#include <array>

#include "core/analysis/gpu/gaps.h"
#include "core/base/format.h"
#include "core/insight/findings/rule_list.h"

namespace lanescope {

namespace {

constexpr std::string_view kOverheadId = "overhead-bound";
constexpr std::array kOverheadThresholds = {
    ThresholdSpec{"min_share", 0.15, ThresholdUnit::ratio,
                  "idle time that the host causes, as a share of the steps"},
};

void add_places(const RuleInput& input, const DeviceWindow& device, Finding& finding) {
    for (const IdleGap& gap : input.context.get<AllIdleGaps>().rows) {
        if (!device.owns(gap) || !is_overhead(input.trace(), gap) ||
            !device.contains(gap.range.begin))
            continue;
        const SliceRef next = input.trace().gpu_activities.slice[gap.after];
        finding.places.push_back(
            {{}, gap.range, next.lane, fmt::format("idle before {}", input.trace().name(next))});
    }
    keep_largest(finding.places);
}

std::vector<Finding> find_overhead(const RuleInput& input);

constexpr FindingRule kOverheadRule = {kOverheadId, "The GPU waits for the host",
                                       "GPU work and its launches", kOverheadThresholds,
                                       find_overhead};

std::vector<Finding> find_overhead(const RuleInput& input) {
    std::vector<Finding> findings;
    const double min_share = input.thresholds.of(kOverheadId, "min_share");
    for (const DeviceWindow& device : input.devices) {
        const SummaryDevice& summary = *device.summary;
        const BoundTimes& times = device.bound_times;
        const bool fits = device.bound == StepBound::overhead || device.bound == StepBound::mixed;
        if (!fits || times.whole <= 0 || device.share(times.overhead) < min_share) continue;
        Finding finding = finding_on(kOverheadRule, device, times.overhead);
        finding.title = fmt::format(
            "The GPU idles for {} of the {} because the host launches too late",
            format_share(times.overhead, times.whole), device.steps > 0 ? "steps" : "span");
        finding.evidence = {
            {"GPU busy", device.share(times.busy), "ratio", "steps.gpu_busy_ns"},
            {"longest queue of launched work",
             static_cast<double>(std::max<int64_t>(summary.deepest_queue - 1, 0)), "count",
             "launches.queue_depth"},
        };
        finding.advice =
            "Launch less often or earlier: capture the step as a CUDA graph "
            "(torch.compile(mode=\"reduce-overhead\") or torch.cuda.graph), fuse small operators "
            "with torch.compile, use a larger batch, and remove calls that wait for the GPU.";
        finding.times = device.overhead;
        add_places(input, device, finding);
        findings.push_back(std::move(finding));
    }
    return findings;
}

}  // namespace

FindingRule overhead_bound() {
    return kOverheadRule;
}

}  // namespace lanescope
