// Activation checkpointing: backward computes parts of the forward pass again.
#include <fmt/format.h>

#include "core/base/format.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

struct RecomputeRule : RuleBase {
    static constexpr RuleText kText = {
        "recompute", "The forward pass runs twice",
        "operators of torch.utils.checkpoint, or Python frames (with_stack=True)"};
    double min_share =
        ratio("min_share", 0.02, "time of work that runs a second time, as a share of the steps");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<RecomputeRule>();

namespace {

// The innermost of these calls decides: checkpointing runs the forward operators itself, and then
// lets autograd's engine run their backward nodes inside the same call.
bool is_checkpoint(std::string_view name) {
    return name == "CheckpointFunctionBackward" || name.ends_with(": recompute_fn");
}

bool decides(std::string_view name) {
    return is_checkpoint(name) || name.starts_with("autograd::engine::evaluate_function");
}

}  // namespace

std::optional<Finding> RecomputeRule::on_device(const RuleInput& input,
                                                const DeviceWindow& device) const {
    const Trace& trace = input.trace();
    const Attribution& attribution = input.attribution;
    const NameTest is_deciding(trace.strings, decides);
    const WindowWork found = work_where(input, device, [&](const GpuWork& work, SliceRef) {
        const SliceRef call = caller_with(input, attribution.launch[work.row], is_deciding);
        return call && is_checkpoint(trace.name(call));
    });
    auto finding = finding_for(device, min_share, found.times);
    if (!finding) return {};
    finding->title = fmt::format("Backward computes activations again for {}",
                                 format_duration(static_cast<double>(*finding->cost)));
    finding->evidence = by_operator(input, found.all);
    finding->advice =
        "Checkpointing buys memory with this time. If memory is left, checkpoint fewer layers, "
        "or only cheap operators (torch.utils.checkpoint with a policy, selective activation "
        "checkpointing), and keep the outputs of attention and matrix products.";
    finding->places = places_of(trace, found.all);
    return finding;
}

}  // namespace lanescope
