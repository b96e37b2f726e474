// Kernels that only change the order of a tensor's dimensions.
#include <fmt/format.h>

#include "core/base/format.h"
#include "core/insight/findings/matrix_kernels.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

struct LayoutConversionRule : RuleBase {
    static constexpr RuleText kText = {"layout-conversion", "Tensors change their layout",
                                       "kernels"};
    double min_share = ratio("min_share", 0.01,
                             "the time of kernels that change the layout, as a share of the steps");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<LayoutConversionRule>();

std::optional<Finding> LayoutConversionRule::on_device(const RuleInput& input,
                                                       const DeviceWindow& device) const {
    const Trace& trace = input.trace();
    const NameTest converts(trace.strings, is_layout_kernel);
    const WindowWork found = work_where(input, device, [&](const GpuWork& work, SliceRef slice) {
        return work.kind == WorkKind::compute && converts(trace.name_id(slice));
    });
    auto finding = finding_for(device, min_share, found.times);
    if (!finding) return {};
    finding->title = fmt::format("{} for {} only to change the layout of tensors",
                                 format_count(found.all.size(), "kernel runs", "kernels run"),
                                 format_duration(time_of(found.all)));
    finding->evidence = by_operator(input, found.all);
    finding->advice =
        "Keep one layout: model.to(memory_format=torch.channels_last) and the same for the "
        "input, so that convolutions need no conversion. With float32 and TF32, cuDNN's tensor "
        "core kernels want channels_last.";
    finding->places = places_of(trace, found.all);
    return finding;
}

}  // namespace lanescope
