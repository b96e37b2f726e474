#include "examples/extend/rule/memory_fill.h"

#include <fmt/format.h>

#include <array>

#include "core/base/format.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

namespace {

constexpr std::string_view kFillId = "memory-fill";
constexpr std::array kFillThresholds = {
    ThresholdSpec{"min_share", 0.005, ThresholdUnit::ratio,
                  "the time of fills on the GPU, as a share of the steps"},
};

std::vector<Finding> find_fills(const RuleInput& input);

constexpr FindingRule kFillRule = {kFillId, "Memory is filled with a constant", "GPU work",
                                   kFillThresholds, find_fills};

std::vector<Finding> find_fills(const RuleInput& input) {
    std::vector<Finding> findings;
    for (const DeviceWindow& device : input.devices) {
        const WindowWork fills = work_where(input, device, [](const GpuWork& work, SliceRef) {
            return work.kind == WorkKind::set;
        });
        auto finding =
            finding_for(kFillRule, device, input.thresholds.of(kFillId, "min_share"), fills.times);
        if (!finding) continue;
        finding->title =
            fmt::format("The GPU fills memory for {}", format_duration(total_length(fills.times)));
        finding->evidence = by_operator(input, fills.all);
        finding->advice =
            "Use torch.empty() instead of torch.zeros() where every element is written anyway.";
        finding->places = places_of(input.trace(), fills.all);
        findings.push_back(std::move(*finding));
    }
    return findings;
}

}  // namespace

FindingRule memory_fill() {
    return kFillRule;
}

}  // namespace lanescope
