#include "examples/extend/rule/memory_fill.h"

#include <fmt/format.h>

#include "core/base/format.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

std::optional<Finding> MemoryFillRule::on_device(const RuleInput& input,
                                                 const DeviceWindow& device) const {
    const WindowWork fills = work_where(
        input, device, [](const GpuWork& work, SliceRef) { return work.kind == WorkKind::set; });
    auto finding = finding_for(device, min_share, fills.times);
    if (!finding) return {};
    finding->title =
        fmt::format("The GPU fills memory for {}", format_duration(total_length(fills.times)));
    finding->evidence = by_operator(input, fills.all);
    finding->advice =
        "Use torch.empty() instead of torch.zeros() where every element is written anyway.";
    finding->places = places_of(input.trace(), fills.all);
    return finding;
}

}  // namespace lanescope
