// The GPU idles because the host launches its work too late.
#include <fmt/format.h>

#include <map>
#include <string_view>

#include "core/analysis/gpu/gaps.h"
#include "core/base/format.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

struct OverheadBoundRule : RuleBase {
    static constexpr RuleText kText = {"overhead-bound", "The GPU waits for the host",
                                       "GPU work and its launches", RuleAbout::idle_time};
    double min_share =
        ratio("min_share", 0.15, "idle time that the host causes, as a share of the steps");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<OverheadBoundRule>();

namespace {

// A call is named if gaps that it covers make up this share of the cost.
constexpr double kCallShare = 0.2;
constexpr double kOneGapShare = 0.5;

void add_places(const RuleInput& input, const DeviceWindow& device, Finding& finding) {
    LargestPlaces places;
    for (const IdleGap* const gap : device.gaps)
        if (is_overhead(input.trace(), *gap))
            for (const TimeRange& part : intersect({gap->range}, device.times))
                places.add_idle(part, input.trace().gpu_activities.slice[gap->after]);
    finding.places = std::move(places).take(input.trace());
}

// Names the call that covers at least half of most idle gaps on the launching thread.
void add_calls(const RuleInput& input, const DeviceWindow& device, Finding& finding) {
    const Trace& trace = input.trace();
    std::map<StringId, Nanos> by_name;
    for (const IdleGap* const gap : device.gaps)
        if (gap->host_call && is_overhead(trace, *gap))
            by_name[trace.name_id(gap->host_call)] += covered_length(device.times, gap->range);
    std::map<std::string_view, Nanos> calls;
    for (const auto& [name, time] : by_name) calls[trace.strings[name]] = time;
    const auto most =
        std::ranges::max_element(calls, {}, [](const auto& call) { return call.second; });
    if (most == calls.end() || device.share(most->second) < kCallShare * finding.share) return;
    finding.evidence.push_back({fmt::format("idle in gaps of which {} covers half", most->first),
                                static_cast<double>(most->second), "ns", "gaps.duration_ns"});
}

// Whether one gap is most of the cost: then launching less often changes nothing.
bool has_one_cause(const Finding& finding) {
    return !finding.places.empty() &&
           static_cast<double>(finding.places.front().range.length()) >
               kOneGapShare * static_cast<double>(finding.cost.value_or(0));
}

// Returns whether the program launches CUDA graphs on this device in the window.
bool launches_graphs(const RuleInput& input, const DeviceWindow& device) {
    const Trace& trace = input.trace();
    const NameTest is_graph(trace.strings, [](std::string_view name) {
        return name.find("GraphLaunch") != std::string_view::npos;
    });
    const auto& launches = input.attribution.launch;
    return std::ranges::any_of(device.work->work, [&](const GpuWork& work) {
        const SliceRef call = launches[work.row];
        return call && is_graph(trace.name_id(call)) && device.contains_call(trace.start(call));
    });
}

// The part of the longest gap after the launch of the work that ends it; 0 if most of the gap is
// before the launch.
Nanos launched_before(const RuleInput& input, const DeviceWindow& device, const Finding& finding) {
    if (finding.places.empty()) return 0;
    const TimeRange longest = finding.places.front().range;
    for (const IdleGap* const gap : device.gaps) {
        const bool contains = gap->range.begin <= longest.begin && longest.end <= gap->range.end;
        if (!contains || !gap->launch) continue;
        const Nanos waited = gap->range.end - input.trace().slice_end(gap->launch);
        return 2 * waited > longest.length() ? waited : 0;
    }
    return 0;
}

void describe(const RuleInput& input, const DeviceWindow& device, Finding& finding) {
    const BoundTimes& times = device.bound_times;
    const std::string whole = device.steps > 0 ? "steps" : "span";
    if (const Nanos waited = launched_before(input, device, finding);
        waited > 0 && has_one_cause(finding)) {
        finding.confidence = Confidence::possible;
        finding.title = fmt::format(
            "The GPU idles for {} of the {}, most of it in one gap of {} although the "
            "next work had been launched",
            format_share(times.overhead, times.whole), whole,
            format_duration(finding.places.front().range.length()));
        finding.evidence.push_back(duration_of("from that launch to the begin of the work", waited,
                                               "launches.latency_ns"));
        finding.advice =
            "Go to this gap: the host had launched the work, and the trace does not show what it "
            "waited for. Possible are other streams and processes on the GPU, another rank, the "
            "first load of code, and the profiler itself. Leave the gap out of what you measure if "
            "it happens once.";
        return;
    }
    if (has_one_cause(finding)) {
        finding.title = fmt::format(
            "The GPU idles for {} of the {} because of the host, most of it in one gap "
            "of {}",
            format_share(times.overhead, times.whole), whole,
            format_duration(finding.places.front().range.length()));
        finding.advice =
            "Go to this gap and look at what the host does during it: the host launches nothing, "
            "or the program waits for something outside of the trace. Record the host in more "
            "detail (with_stack=True, lanescope record --sample) if the trace does not show it.";
        return;
    }
    finding.title = fmt::format("The GPU idles for {} of the {} because the host launches too late",
                                format_share(times.overhead, times.whole), whole);
    if (launches_graphs(input, device)) {
        finding.advice =
            "The program launches CUDA graphs already: shorten what the host does between them "
            "(scheduling, preparing inputs, sampling), prepare the next step while the GPU works, "
            "put operators that are still launched one by one into the graph, or use a larger "
            "batch.";
        return;
    }
    finding.advice =
        "Launch less often or earlier: capture the step as a CUDA graph "
        "(torch.compile(mode=\"reduce-overhead\") or torch.cuda.graph), fuse small operators "
        "with torch.compile, use a larger batch, and remove calls that wait for the GPU.";
}

}  // namespace

std::optional<Finding> OverheadBoundRule::on_device(const RuleInput& input,
                                                    const DeviceWindow& device) const {
    const SummaryDevice& summary = *device.summary;
    const BoundTimes& times = device.bound_times;
    const bool fits = device.bound == StepBound::overhead || device.bound == StepBound::mixed;
    if (!fits || times.whole <= 0 || device.share(times.overhead) < min_share) return {};
    Finding finding = finding_on(device, times.overhead);
    finding.evidence = {
        {"GPU busy", device.share(times.busy), "ratio", "steps.gpu_busy_ns"},
        {"longest queue of launched work, with the launch itself",
         static_cast<double>(summary.deepest_queue), "count", "launches.queue_depth"},
    };
    finding.times = device.overhead;
    add_places(input, device, finding);
    add_calls(input, device, finding);
    describe(input, device, finding);
    return finding;
}

}  // namespace lanescope
