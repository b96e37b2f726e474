// Kernels that only change the type of a tensor's elements.
#include <fmt/format.h>

#include <cmath>

#include "core/base/format.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/tensor_copies.h"

namespace lanescope {

struct DtypeCastsRule : RuleBase {
    static constexpr RuleText kText = {"dtype-casts", "Tensors change their type",
                                       "kernels and the operators that launched them"};
    double min_share =
        ratio("min_share", 0.02, "the time of kernels that change types, as a share of the steps");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<DtypeCastsRule>();

std::optional<Finding> DtypeCastsRule::on_device(const RuleInput& input,
                                                 const DeviceWindow& device) const {
    const TensorCopies copies(input);
    bool by_name = false;
    const WindowWork found = work_where(input, device, [&](const GpuWork& work, SliceRef) {
        const TensorCopy kind = copies.kind_of(work);
        if (kind == TensorCopy::by_name) by_name = true;
        return kind == TensorCopy::cast || kind == TensorCopy::by_name;
    });
    auto finding = finding_for(device, min_share, found.times);
    if (!finding) return {};
    finding->title = fmt::format("{} for {} only to change the type of tensors",
                                 format_count(found.all.size(), "kernel runs", "kernels run"),
                                 format_duration(total_length(found.times)));
    finding->evidence = {
        {device.steps > 0 ? "kernels that only cast, in each step" : "kernels that only cast",
         static_cast<double>(found.all.size()) /
             static_cast<double>(std::max<uint64_t>(device.steps, 1)),
         "count", "kernels.calls"}};
    if (by_name) {
        finding->confidence = Confidence::likely;
        finding->evidence.push_back(
            remark("the types of some are not recorded (record_shapes=True): their name or "
                   "aten::_to_copy says it"));
    }
    finding->advice =
        "Keep weights and activations in one type: cast a model once "
        "(model.to(torch.bfloat16)) "
        "instead of in every step, avoid .float() and .to(dtype) around single operators, and "
        "let torch.compile fuse the remaining casts with neighbouring operators.";
    finding->places = places_of(input.trace(), found.all);
    return finding;
}

}  // namespace lanescope
