// Copies of tensors on the same GPU: to make them contiguous, or of an operand before a product.
#include <fmt/format.h>

#include "core/base/format.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/tensor_copies.h"

namespace lanescope {

struct RedundantCopiesRule : RuleBase {
    static constexpr RuleText kText = {"redundant-copies", "Tensors are copied on the GPU",
                                       "kernels and the operators that launched them"};
    double min_share =
        ratio("min_share", 0.02, "the time of copies on the GPU, as a share of the steps");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<RedundantCopiesRule>();

std::optional<Finding> RedundantCopiesRule::on_device(const RuleInput& input,
                                                      const DeviceWindow& device) const {
    const TensorCopies copies(input);
    uint64_t by_name = 0;
    const WindowWork found = work_where(input, device, [&](const GpuWork& work, SliceRef) {
        const TensorCopy kind = copies.kind_of(work);
        if (kind == TensorCopy::rearranged_by_name) ++by_name;
        return kind == TensorCopy::rearranged || kind == TensorCopy::rearranged_by_name;
    });
    auto finding = finding_for(device, min_share, found.times);
    if (!finding) return {};
    finding->confidence = Confidence::likely;
    finding->title = fmt::format("{} of tensors to another place on the same GPU take {}",
                                 format_count(found.all.size(), "copy", "copies"),
                                 format_duration(total_length(found.times)));
    finding->evidence =
        by_operator(input, found.all, [&](const GpuWork& work) { return copies.cause_of(work); });
    if (by_name > 0)
        finding->evidence.push_back(
            {"copies whose operator is not recorded, by their kernel's name",
             static_cast<double>(by_name), "count", "kernels.calls"});
    finding->evidence.push_back(remark(
        "the copies are inside contiguous(), clone(), reshape() or a matrix product; the trace "
        "does not show whether they are needed"));
    finding->advice =
        "Look at the callers of the longest ones: transpose the weights once instead of the "
        "activations in every step, write into a slice of a preallocated tensor, use view() or "
        "a kernel that accepts strides, and remove clone() that nothing needs.";
    finding->places = places_of(input.trace(), found.all);
    return finding;
}

}  // namespace lanescope
