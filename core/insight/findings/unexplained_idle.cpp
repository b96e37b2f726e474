// The GPU idles, and the trace does not show why.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/analysis/gpu/gaps.h"
#include "core/base/format.h"
#include "core/insight/findings/rule_list.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

namespace {

constexpr std::string_view kUnexplainedId = "unexplained-idle";
constexpr std::array kUnexplainedThresholds = {
    ThresholdSpec{"min_share", 0.05, ThresholdUnit::ratio,
                  "idle time without a recorded cause, as a share of the steps"},
};

std::vector<Finding> find_unexplained(const RuleInput& input);

constexpr FindingRule kUnexplainedRule = {kUnexplainedId,
                                          "The GPU idles for a reason that is not recorded",
                                          "GPU work", kUnexplainedThresholds, find_unexplained};

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

std::vector<Finding> find_unexplained(const RuleInput& input) {
    std::vector<Finding> findings;
    const Trace& trace = input.trace();
    for (const DeviceWindow& device : input.devices) {
        const Intervals idle = unexplained_of(device);
        auto finding = finding_for(kUnexplainedRule, device,
                                   input.thresholds.of(kUnexplainedId, "min_share"), idle);
        if (!finding) continue;
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
            finding->evidence.push_back(
                duration_of(cause_sentence(cause), time, "gaps.duration_ns"));
        if (edges > 0)
            finding->evidence.push_back(duration_of(
                "before the first or after the last work of the GPU in a step", edges, ""));
        std::ranges::stable_sort(finding->evidence, std::greater(), &Evidence::value);
        finding->advice =
            "Go to the longest gaps and look at what the host's threads do during them. Record "
            "the whole step, all threads that launch work, and if possible no CUDA graphs; check "
            "whether other programs share the GPU.";
        finding->places = std::move(places).take(trace);
        findings.push_back(std::move(*finding));
    }
    return findings;
}

}  // namespace

FindingRule unexplained_idle() {
    return kUnexplainedRule;
}

}  // namespace lanescope
