// Steady steps allocate memory from the driver, which makes the GPU idle.
#include <fmt/format.h>

#include <array>

#include "core/base/format.h"
#include "core/insight/findings/rule_list.h"
#include "core/insight/findings/slow_calls.h"

namespace lanescope {

namespace {

constexpr std::string_view kChurnId = "allocator-churn";
constexpr std::array kChurnThresholds = {
    ThresholdSpec{"min_share", 0.005, ThresholdUnit::ratio,
                  "idle time in calls that allocate or free memory, as a share of the steps"},
};

std::vector<Finding> find_churn(const RuleInput& input);

constexpr FindingRule kChurnRule = {kChurnId, "Steady steps allocate memory",
                                    "steps and calls of the runtime", kChurnThresholds, find_churn};

std::vector<Finding> find_churn(const RuleInput& input) {
    std::vector<Finding> findings;
    for (const DeviceWindow& device : input.devices) {
        if (device.steps == 0) continue;  // without steps it may be warm-up
        SlowCalls slow = slow_calls(input, device, SlowCallsIn::window);
        const Nanos idle = total_length(slow.idle);
        if (idle <= 0 || device.share(idle) < input.thresholds.of(kChurnId, "min_share")) continue;
        Finding finding = finding_on(kChurnRule, device, idle);
        finding.title = fmt::format(
            "{} memory of the driver in steady steps, and the GPU idles for {}",
            format_count(slow.count, "call allocates or frees", "calls allocate or free"),
            format_duration(idle));
        finding.evidence = std::move(slow.evidence);
        finding.places = std::move(slow.places);
        finding.times = std::move(slow.idle);
        finding.advice =
            "Let the caching allocator keep its memory: do not call torch.cuda.empty_cache() in "
            "the loop, keep shapes constant, and try "
            "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.";
        findings.push_back(std::move(finding));
    }
    return findings;
}

}  // namespace

FindingRule allocator_churn() {
    return kChurnRule;
}

}  // namespace lanescope
