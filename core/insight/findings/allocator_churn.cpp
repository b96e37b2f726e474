// Steady steps allocate memory from the driver, which makes the GPU idle.
#include <fmt/format.h>

#include "core/base/format.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/slow_calls.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

struct AllocatorChurnRule : RuleBase {
    static constexpr RuleText kText = {"allocator-churn", "Steady steps allocate memory",
                                       "steps and calls of the runtime", RuleAbout::idle_time};
    double min_share =
        ratio("min_share", 0.005,
              "idle time in calls that allocate or free memory, as a share of the steps");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<AllocatorChurnRule>();

std::optional<Finding> AllocatorChurnRule::on_device(const RuleInput& input,
                                                     const DeviceWindow& device) const {
    if (device.steps == 0) return {};  // without steps it may be warm-up
    SlowCalls slow = slow_calls(input, device, SlowCallsIn::window);
    auto finding = finding_for(device, min_share, std::move(slow.idle));
    if (!finding) return {};
    finding->title =
        fmt::format("{} memory of the driver in steady steps, and the GPU idles for {}",
                    format_count(slow.count, "call allocates or frees", "calls allocate or free"),
                    format_duration(*finding->cost));
    finding->evidence = std::move(slow.evidence);
    finding->places = std::move(slow.places);
    finding->advice =
        "Let the caching allocator keep its memory: do not call torch.cuda.empty_cache() in "
        "the loop, keep shapes constant, and try "
        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.";
    return finding;
}

}  // namespace lanescope
