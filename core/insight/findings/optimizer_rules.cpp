// Two rules about the optimizer: a step in many kernels, and gradients that are set to zero.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/analysis/structure/lane_view.h"
#include "core/base/format.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

struct UnfusedOptimizerRule : RuleBase {
    static constexpr RuleText kText = {"unfused-optimizer", "The optimizer runs in many kernels",
                                       "annotations of PyTorch's optimizers and kernels"};
    double min_share =
        ratio("min_share", 0.01, "the time of the optimizer on the GPU, as a share of the steps");
    double min_kernels = number("min_kernels", 50, "kernels in one step of an optimizer");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<UnfusedOptimizerRule>();

struct GradientZeroingRule : RuleBase {
    static constexpr RuleText kText = {"gradient-zeroing", "Gradients are set to zero",
                                       "annotations of PyTorch's optimizers and GPU work"};
    double min_share =
        ratio("min_share", 0.01,
              "the time of the GPU for setting gradients to zero, as a share of the steps");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<GradientZeroingRule>();

namespace {

bool is_optimizer_step(std::string_view name) {
    return name.starts_with("Optimizer.step#");
}

bool is_zero_grad(std::string_view name) {
    return name.starts_with("Optimizer.zero_grad#");
}

// Kernels that handle many tensors at once, as foreach=True and fused=True launch them.
bool is_multi_tensor(std::string_view name) {
    return name.find("multi_tensor_apply") != std::string_view::npos ||
           name.find("fused_adam") != std::string_view::npos ||
           name.find("FusedAdam") != std::string_view::npos || name.starts_with("triton_");
}

// Work that was launched inside calls with a name, and the call of each.
struct LaunchedIn {
    WindowWork work;
    std::vector<SliceRef> calls;
};

LaunchedIn launched_in(const RuleInput& input, const DeviceWindow& device, const NameTest& test) {
    const Attribution& attribution = input.attribution;
    LaunchedIn found;
    found.work = work_where(input, device, [&](const GpuWork& work, SliceRef) {
        if (work.kind == WorkKind::communication) return false;
        const SliceRef call = caller_with(input, attribution.launch[work.row], test);
        if (call) found.calls.push_back(call);
        return bool(call);
    });
    return found;
}

// When the device idles while the calls run on the host.
Intervals idle_during(const RuleInput& input, const DeviceWindow& device,
                      const std::vector<SliceRef>& calls) {
    std::vector<TimeRange> ranges;
    ranges.reserve(calls.size());
    for (const SliceRef call : calls)
        ranges.push_back({input.trace().start(call), input.trace().slice_end(call)});
    return intersect(device.idle(), merged(std::move(ranges)));
}

uint64_t distinct(std::vector<SliceRef> calls) {
    std::ranges::sort(calls);
    return static_cast<uint64_t>(std::unique(calls.begin(), calls.end()) - calls.begin());
}

}  // namespace

std::optional<Finding> UnfusedOptimizerRule::on_device(const RuleInput& input,
                                                       const DeviceWindow& device) const {
    const Trace& trace = input.trace();
    const NameTest is_step(trace.strings, is_optimizer_step);
    const NameTest is_joint(trace.strings, is_multi_tensor);
    const LaunchedIn in = launched_in(input, device, is_step);
    if (in.calls.empty()) return {};
    const auto single = std::ranges::count_if(in.work.all, [&](const GpuWork& work) {
        return work.kind == WorkKind::compute &&
               !is_joint(trace.name_id(trace.gpu_activities.slice[work.row]));
    });
    const double steps = static_cast<double>(distinct(in.calls));
    const double kernels = static_cast<double>(single) / steps;
    if (kernels < min_kernels) return {};
    const Intervals idle = idle_during(input, device, in.calls);
    auto finding = finding_for(device, min_share, unite(in.work.times, idle));
    if (!finding) return {};
    finding->title =
        fmt::format("Each step of the optimizer launches {} kernels for single tensors",
                    format_count(std::llround(kernels)));
    finding->evidence = {
        {"GPU time of the optimizer's kernels", static_cast<double>(total_length(in.work.times)),
         "ns", "kernels.total_ns"},
        {"idle time of the GPU while the host is in the optimizer",
         static_cast<double>(total_length(idle)), "ns", "breakdown.idle_ns"},
        {"steps of the optimizer", steps, "count", "steps.step"},
    };
    finding->advice =
        "Use one kernel for all parameters: torch.optim.AdamW(…, fused=True), or foreach=True; "
        "with other optimizers torch.compile(optimizer.step). Set capturable=True only if the "
        "step is captured in a CUDA graph.";
    finding->places = places_of(trace, in.work.all);
    return finding;
}

std::optional<Finding> GradientZeroingRule::on_device(const RuleInput& input,
                                                      const DeviceWindow& device) const {
    const Trace& trace = input.trace();
    const NameTest zeroes(trace.strings, is_zero_grad);
    const LaunchedIn in = launched_in(input, device, zeroes);
    if (in.calls.empty()) return {};
    const Intervals idle = idle_during(input, device, in.calls);
    auto finding = finding_for(device, min_share, unite(in.work.times, idle));
    if (!finding) return {};
    finding->title = fmt::format("Setting gradients to zero takes {} on the GPU",
                                 format_count(in.work.all.size(), "activity", "activities"));
    finding->evidence = {
        {"their time", static_cast<double>(total_length(in.work.times)), "ns", "kernels.total_ns"},
        {"idle time of the GPU while the host is in zero_grad()",
         static_cast<double>(total_length(idle)), "ns", "breakdown.idle_ns"},
    };
    finding->advice =
        "Free the gradients instead: optimizer.zero_grad(set_to_none=True), the default since "
        "PyTorch 2.0. Backward then writes them instead of adding to zeros.";
    finding->places = places_of(trace, in.work.all);
    return finding;
}

}  // namespace lanescope
