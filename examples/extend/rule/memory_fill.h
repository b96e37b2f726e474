// The rule "memory-fill": the GPU spends time on filling memory with a constant.
#pragma once

#include "core/insight/findings/rule_class.h"

namespace lanescope {

struct MemoryFillRule : RuleBase {
    static constexpr RuleText kText = {"memory-fill", "Memory is filled with a constant",
                                       "GPU work"};
    double min_share =
        ratio("min_share", 0.005, "the time of fills on the GPU, as a share of the steps");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};

}  // namespace lanescope
