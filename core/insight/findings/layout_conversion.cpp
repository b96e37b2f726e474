// Kernels that only change the order of a tensor's dimensions.
#include <fmt/format.h>

#include <array>

#include "core/base/format.h"
#include "core/insight/findings/matrix_kernels.h"
#include "core/insight/findings/rule_list.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

namespace {

constexpr std::string_view kLayoutId = "layout-conversion";
constexpr std::array kLayoutThresholds = {
    ThresholdSpec{"min_share", 0.01, ThresholdUnit::ratio,
                  "the time of kernels that change the layout, as a share of the steps"},
};

std::vector<Finding> find_conversions(const RuleInput& input);

constexpr FindingRule kLayoutRule = {kLayoutId, "Tensors change their layout", "kernels",
                                     kLayoutThresholds, find_conversions};

std::vector<Finding> find_conversions(const RuleInput& input) {
    std::vector<Finding> findings;
    const Trace& trace = input.trace();
    const NameTest converts(trace.strings, is_layout_kernel);
    for (const DeviceWindow& device : input.devices) {
        const WindowWork found =
            work_where(input, device, [&](const GpuWork& work, SliceRef slice) {
                return work.kind == WorkKind::compute && converts(trace.name_id(slice));
            });
        auto finding = finding_for(kLayoutRule, device, input.thresholds.of(kLayoutId, "min_share"),
                                   found.times);
        if (!finding) continue;
        finding->title = fmt::format("{} for {} only to change the layout of tensors",
                                     format_count(found.all.size(), "kernel runs", "kernels run"),
                                     format_duration(total_length(found.times)));
        finding->evidence = by_operator(input, found.all);
        finding->advice =
            "Keep one layout: model.to(memory_format=torch.channels_last) and the same for the "
            "input, so that convolutions need no conversion. With float32 and TF32, cuDNN's tensor "
            "core kernels want channels_last.";
        finding->places = places_of(trace, found.all);
        findings.push_back(std::move(*finding));
    }
    return findings;
}

}  // namespace

FindingRule layout_conversion() {
    return kLayoutRule;
}

}  // namespace lanescope
