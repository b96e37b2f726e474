// Kernels that fill few of a multiprocessor's places for warps, and are slow.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/analysis/work/footprints.h"
#include "core/analysis/work/work_models.h"
#include "core/base/format.h"
#include "core/insight/findings/matrix_kernels.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/window_work.h"
#include "core/trace/kernel_label.h"

namespace lanescope {

struct LowOccupancyRule : RuleBase {
    static constexpr RuleText kText = {"low-occupancy", "Few warps fit on a multiprocessor",
                                       "launches, shapes (record_shapes=True), a known device"};
    double min_share = ratio("min_share", 0.02,
                             "time beyond the floors of these kernels, as a share of the steps");
    double max_occupancy =
        ratio("max_occupancy", 0.25,
              "theoretical occupancy: warps that fit on a multiprocessor, divided by the maximum");
    double min_lost =
        ratio("min_lost", 0.50, "time beyond the floor, as a share of the kernel's time");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<LowOccupancyRule>();

namespace {

// Products and attention hide latency with registers: their occupancy is low on purpose.
bool is_by_intention(std::string_view name) {
    constexpr std::array<std::string_view, 5> parts = {"flash", "fmha", "attention", "scudnn",
                                                       "conv"};
    return is_matrix_kernel(name) || std::ranges::any_of(parts, [&](std::string_view part) {
               return name.find(part) != std::string_view::npos;
           });
}

}  // namespace

std::optional<Finding> LowOccupancyRule::on_device(const RuleInput& input,
                                                   const DeviceWindow& device) const {
    const Trace& trace = input.trace();
    if (trace.gpu_activities.config.empty() || trace.operators.input_dims.empty()) return {};
    const WorkModels& models = input.context.get<WorkModels>();
    const NameTest by_intention(trace.strings, is_by_intention);
    Footprints footprints(trace);
    std::vector<TimeRange> lost;
    const WindowWork found = work_where(input, device, [&](const GpuWork& work, SliceRef slice) {
        if (work.kind != WorkKind::compute || by_intention(trace.name_id(slice))) return false;
        const Occupancy* const footprint = footprints.footprint_of(work.row);
        if (!footprint || footprint->theoretical >= max_occupancy || !(footprint->waves >= 1))
            return false;
        const double floor = models.costs[work.row].floor_ns;
        const auto time = static_cast<double>(work.range.length());
        if (!(floor >= 0) || floor > time * (1 - min_lost)) return false;
        lost.push_back(
            {work.range.begin, work.range.end - static_cast<Nanos>(std::llround(floor))});
        return true;
    });
    auto finding = finding_for(device, min_share, intersect(merged(std::move(lost)), device.times));
    if (!finding) return {};
    finding->confidence = Confidence::likely;
    finding->title =
        fmt::format("{} with an occupancy under {} for {}, far from their floors",
                    format_count(found.all.size(), "kernel runs", "kernels run"),
                    format_percent(max_occupancy), format_duration(time_of(found.all)));
    finding->places = places_of(trace, found.all);
    finding->evidence = by_operator(input, found.all);
    finding->evidence.push_back(
        duration_of(fmt::format("the longest one: {}", kernel_label(finding->places.front().name)),
                    finding->places.front().range.length(), "kernels.occupancy"));
    finding->advice =
        "Their footprints name what limits the occupancy: fewer registers a thread "
        "(__launch_bounds__, num_warps and num_stages in Triton) or less shared memory lets "
        "more warps hide the latency of memory.";
    return finding;
}

}  // namespace lanescope
