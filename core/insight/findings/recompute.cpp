// Activation checkpointing: backward computes parts of the forward pass again.
#include <fmt/format.h>

#include <array>

#include "core/base/format.h"
#include "core/insight/findings/rule_list.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

namespace {

constexpr std::string_view kRecomputeId = "recompute";
constexpr std::array kRecomputeThresholds = {
    ThresholdSpec{"min_share", 0.02, ThresholdUnit::ratio,
                  "time of work that runs a second time, as a share of the steps"},
};

std::vector<Finding> find_recompute(const RuleInput& input);

constexpr FindingRule kRecomputeRule = {
    kRecomputeId, "The forward pass runs twice",
    "operators of torch.utils.checkpoint, or Python frames (with_stack=True)", kRecomputeThresholds,
    find_recompute};

// The innermost of these calls decides: checkpointing runs the forward operators itself, and then
// lets autograd's engine run their backward nodes inside the same call.
bool is_checkpoint(std::string_view name) {
    return name == "CheckpointFunctionBackward" || name.ends_with(": recompute_fn");
}

bool decides(std::string_view name) {
    return is_checkpoint(name) || name.starts_with("autograd::engine::evaluate_function");
}

std::vector<Finding> find_recompute(const RuleInput& input) {
    std::vector<Finding> findings;
    const Trace& trace = input.trace();
    const Attribution& attribution = input.attribution;
    const NameTest is_deciding(trace.strings, decides);
    for (const DeviceWindow& device : input.devices) {
        const WindowWork found = work_where(input, device, [&](const GpuWork& work, SliceRef) {
            const SliceRef call = caller_with(input, attribution.launch[work.row], is_deciding);
            return call && is_checkpoint(trace.name(call));
        });
        auto finding = finding_for(kRecomputeRule, device,
                                   input.thresholds.of(kRecomputeId, "min_share"), found.times);
        if (!finding) continue;
        finding->title = fmt::format("Backward computes activations again for {}",
                                     format_duration(static_cast<double>(*finding->cost)));
        finding->evidence = by_operator(input, found.all);
        finding->advice =
            "Checkpointing buys memory with this time. If memory is left, checkpoint fewer layers, "
            "or only cheap operators (torch.utils.checkpoint with a policy, selective activation "
            "checkpointing), and keep the outputs of attention and matrix products.";
        finding->places = places_of(trace, found.all);
        findings.push_back(std::move(*finding));
    }
    return findings;
}

}  // namespace

FindingRule recompute() {
    return kRecomputeRule;
}

}  // namespace lanescope
