// Two rules about the optimizer: a step in many kernels, and gradients that are set to zero.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/analysis/structure/lane_view.h"
#include "core/base/format.h"
#include "core/insight/findings/rule_list.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

namespace {

constexpr std::string_view kUnfusedId = "unfused-optimizer";
constexpr std::array kUnfusedThresholds = {
    ThresholdSpec{"min_share", 0.01, ThresholdUnit::ratio,
                  "the time of the optimizer on the GPU, as a share of the steps"},
    ThresholdSpec{"min_kernels", 50, ThresholdUnit::number, "kernels in one step of an optimizer"},
};
constexpr std::string_view kZeroingId = "gradient-zeroing";
constexpr std::array kZeroingThresholds = {
    ThresholdSpec{"min_share", 0.01, ThresholdUnit::ratio,
                  "the time of the GPU for setting gradients to zero, as a share of the steps"},
};

std::vector<Finding> find_optimizer(const RuleInput& input);
std::vector<Finding> find_zeroing(const RuleInput& input);

constexpr FindingRule kUnfusedRule = {kUnfusedId, "The optimizer runs in many kernels",
                                      "annotations of PyTorch's optimizers and kernels",
                                      kUnfusedThresholds, find_optimizer};
constexpr FindingRule kZeroingRule = {kZeroingId, "Gradients are set to zero",
                                      "annotations of PyTorch's optimizers and GPU work",
                                      kZeroingThresholds, find_zeroing};

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

std::vector<Finding> find_optimizer(const RuleInput& input) {
    std::vector<Finding> findings;
    const Trace& trace = input.trace();
    const NameTest is_step(trace.strings, is_optimizer_step);
    const NameTest is_joint(trace.strings, is_multi_tensor);
    for (const DeviceWindow& device : input.devices) {
        const LaunchedIn in = launched_in(input, device, is_step);
        if (in.calls.empty()) continue;
        const auto single = std::ranges::count_if(in.work.all, [&](const GpuWork& work) {
            return work.kind == WorkKind::compute &&
                   !is_joint(trace.name_id(trace.gpu_activities.slice[work.row]));
        });
        const double steps = static_cast<double>(distinct(in.calls));
        const double kernels = static_cast<double>(single) / steps;
        if (kernels < input.thresholds.of(kUnfusedId, "min_kernels")) continue;
        const Intervals idle = idle_during(input, device, in.calls);
        auto finding =
            finding_for(kUnfusedRule, device, input.thresholds.of(kUnfusedId, "min_share"),
                        unite(in.work.times, idle));
        if (!finding) continue;
        finding->title =
            fmt::format("Each step of the optimizer launches {} kernels for single tensors",
                        format_count(std::llround(kernels)));
        finding->evidence = {
            {"GPU time of the optimizer's kernels",
             static_cast<double>(total_length(in.work.times)), "ns", "kernels.total_ns"},
            {"idle time of the GPU while the host is in the optimizer",
             static_cast<double>(total_length(idle)), "ns", "breakdown.idle_ns"},
            {"steps of the optimizer", steps, "count", "steps.step"},
        };
        finding->advice =
            "Use one kernel for all parameters: torch.optim.AdamW(…, fused=True), or foreach=True; "
            "with other optimizers torch.compile(optimizer.step). Set capturable=True only if the "
            "step is captured in a CUDA graph.";
        finding->places = places_of(trace, in.work.all);
        findings.push_back(std::move(*finding));
    }
    return findings;
}

std::vector<Finding> find_zeroing(const RuleInput& input) {
    std::vector<Finding> findings;
    const Trace& trace = input.trace();
    const NameTest zeroes(trace.strings, is_zero_grad);
    for (const DeviceWindow& device : input.devices) {
        const LaunchedIn in = launched_in(input, device, zeroes);
        if (in.calls.empty()) continue;
        const Intervals idle = idle_during(input, device, in.calls);
        auto finding =
            finding_for(kZeroingRule, device, input.thresholds.of(kZeroingId, "min_share"),
                        unite(in.work.times, idle));
        if (!finding) continue;
        finding->title = fmt::format("Setting gradients to zero takes {} on the GPU",
                                     format_count(in.work.all.size(), "activity", "activities"));
        finding->evidence = {
            {"their time", static_cast<double>(total_length(in.work.times)), "ns",
             "kernels.total_ns"},
            {"idle time of the GPU while the host is in zero_grad()",
             static_cast<double>(total_length(idle)), "ns", "breakdown.idle_ns"},
        };
        finding->advice =
            "Free the gradients instead: optimizer.zero_grad(set_to_none=True), the default since "
            "PyTorch 2.0. Backward then writes them instead of adding to zeros.";
        finding->places = places_of(trace, in.work.all);
        findings.push_back(std::move(*finding));
    }
    return findings;
}

}  // namespace

FindingRule unfused_optimizer() {
    return kUnfusedRule;
}

FindingRule gradient_zeroing() {
    return kZeroingRule;
}

}  // namespace lanescope
