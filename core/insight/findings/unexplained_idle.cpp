// The GPU idles, and the trace does not show why.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/analysis/gpu/gaps.h"
#include "core/base/format.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

struct UnexplainedIdleRule : RuleBase {
    static constexpr RuleText kText = {"unexplained-idle",
                                       "The GPU idles for a reason that is not recorded",
                                       "GPU work", RuleAbout::idle_time};
    double min_share =
        ratio("min_share", 0.05, "idle time without a recorded cause, as a share of the steps");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<UnexplainedIdleRule>();

namespace {

std::string_view cause_sentence(GapCause cause) {
    return cause == GapCause::graph
               ? "before work of a graph that had been launched in time; what it waited for is not "
                 "recorded"
               : "before work whose launch is not in the file";
}

bool is_unknown(GapCause cause) {
    return cause == GapCause::graph || cause == GapCause::unknown;
}

// Idle time for which neither the loader nor the host nor another recorded cause accounts. Before
// the first and after the last recorded work the device may have done what the file does not have.
Intervals unexplained_of(const DeviceWindow& device) {
    std::vector<TimeRange> known;
    for (const IdleGap* const gap : device.gaps)
        if (!is_unknown(gap->cause)) known.push_back(gap->range);
    const Intervals inside = intersect(device.idle(), {span_of(device.work->work)});
    const Intervals idle = subtract(subtract(inside, device.overhead), device.loading);
    return subtract(idle, merged(std::move(known)));
}

}  // namespace

std::optional<Finding> UnexplainedIdleRule::on_device(const RuleInput& input,
                                                      const DeviceWindow& device) const {
    const Trace& trace = input.trace();
    const Intervals idle = unexplained_of(device);
    auto finding = finding_for(device, min_share, idle);
    if (!finding) return {};
    std::map<GapCause, Nanos> causes;
    LargestPlaces places;
    Nanos known = 0;
    for (const IdleGap* const one : device.gaps) {
        const IdleGap& gap = *one;
        if (!is_unknown(gap.cause)) continue;
        const Nanos time = covered_length(idle, gap.range);
        if (time <= 0) continue;
        known += time;
        causes[gap.cause] += time;
        places.add_idle(gap.range, trace.gpu_activities.slice[gap.after]);
    }
    const Nanos edges = total_length(idle) - known;
    finding->confidence = Confidence::possible;
    finding->title =
        fmt::format("The GPU idles for {} of the {} for a reason that the trace does not show",
                    format_percent(finding->share), device.steps > 0 ? "steps" : "span");
    for (const auto& [cause, time] : causes)
        finding->evidence.push_back(duration_of(cause_sentence(cause), time, "gaps.duration_ns"));
    if (edges > 0)
        finding->evidence.push_back(
            duration_of("before the first or after the last work of the GPU in a step", edges, ""));
    std::ranges::stable_sort(finding->evidence, std::greater(), &FindingEvidence::value);
    finding->advice =
        "Go to the longest gaps and look at what the host's threads do during them. Record "
        "the whole step, all threads that launch work, and if possible no CUDA graphs; check "
        "whether other programs share the GPU.";
    finding->places = std::move(places).take(trace);
    return finding;
}

}  // namespace lanescope
