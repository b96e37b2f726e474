// Threads that could run wait for a processor: more of them are ready than there are cores. By the
// times in which the kernel ran others instead, which `lanescope record --off-cpu` records.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "core/analysis/structure/lane_view.h"
#include "core/base/format.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/window_work.h"
#include "core/trace/category.h"

namespace lanescope {

struct CpuContentionRule : RuleBase {
    static constexpr RuleText kText = {
        "cpu-contention", "Threads wait for a processor",
        "times in which threads did not run (lanescope record --off-cpu)"};
    double min_share = ratio(
        "min_share", 0.05,
        "time in which a thread that could run waits for a processor, as a share of the trace; in "
        "programs with a GPU, the GPU's idle time during such waits, as a share of the steps");

    using RuleBase::RuleBase;
    std::vector<Finding> find(const RuleInput& input) const;
};
template FindingRule rule_of<CpuContentionRule>();

namespace {

constexpr std::string_view kPreempted = "[preempted]";
constexpr std::size_t kThreadsNamed = 3;

// Times in which threads could run but did not, by lane of samples.
using ReadyTimes = std::map<LaneId, std::vector<SliceRef>>;

ReadyTimes ready_times(const RuleInput& input) {
    const Trace& trace = input.trace();
    ReadyTimes ready;
    for (const SliceRef slice : trace.sampled_calls.slice) {
        if (trace.name(slice) != kPreempted) continue;
        const TimeRange range{trace.start(slice), trace.slice_end(slice)};
        if (input.query.range && !input.query.range->overlaps(range)) continue;
        ready[slice.lane].push_back(slice);
    }
    return ready;
}

Intervals times_of(const Trace& trace, const std::vector<SliceRef>& slices) {
    std::vector<TimeRange> ranges;
    ranges.reserve(slices.size());
    for (const SliceRef slice : slices)
        ranges.push_back({trace.start(slice), trace.slice_end(slice)});
    return merged(std::move(ranges));
}

Intervals times_of(const Trace& trace, const ReadyTimes& ready) {
    std::vector<SliceRef> all;
    for (const auto& [lane, slices] : ready) all.insert(all.end(), slices.begin(), slices.end());
    return times_of(trace, all);
}

std::vector<FindingPlace> longest_of(const Trace& trace, const ReadyTimes& ready) {
    LargestPlaces places;
    for (const auto& [lane, slices] : ready)
        for (const SliceRef slice : slices)
            places.add(slice, {trace.start(slice), trace.slice_end(slice)});
    return std::move(places).take(trace);
}

// The times of the threads that launch a device's work. A thread's samples are in a lane of their
// own, with the thread's id.
ReadyTimes of_launching_threads(const RuleInput& input, const DeviceWindow& device,
                                const ReadyTimes& ready) {
    const Trace& trace = input.trace();
    std::set<std::pair<uint32_t, StringId>> threads;
    const auto thread_of = [&](LaneId lane) {
        return std::pair(trace.lanes[lane].process, trace.lanes[lane].tid);
    };
    for (const GpuWork& work : device.work->work)
        if (const SliceRef call = input.attribution.launch[work.row])
            threads.insert(thread_of(call.lane));
    ReadyTimes launching;
    for (const auto& [lane, slices] : ready)
        if (threads.contains(thread_of(lane))) launching.emplace(lane, slices);
    return launching;
}

std::vector<FindingEvidence> by_thread(const Trace& trace, const ReadyTimes& ready) {
    std::vector<FindingEvidence> evidence;
    for (const auto& [lane, slices] : ready)
        evidence.push_back(
            duration_of(fmt::format("{} of {}", format_count(slices.size(), "wait", "waits"),
                                    trace.strings[trace.lanes[lane].name]),
                        total_length(times_of(trace, slices)), "slices.total_ns"));
    std::ranges::stable_sort(evidence, std::greater(), &FindingEvidence::value);
    if (evidence.size() > kThreadsNamed) evidence.resize(kThreadsNamed);
    return evidence;
}

constexpr std::string_view kContentionAdvice =
    "Use fewer threads than there are cores: torch.set_num_threads() or OMP_NUM_THREADS, fewer "
    "workers of the data loader, and one thread in each of them. Give the process cores of its own "
    "(taskset, numactl, the container's CPU limit), and look for other programs on the machine.";

// The finding for a program without a GPU: the times in which any thread waits for a processor.
std::vector<Finding> of_host(const RuleInput& input, const ReadyTimes& ready, double min_share) {
    const Trace& trace = input.trace();
    const TimeRange whole =
        input.query.range ? *input.query.range : TimeRange{trace.origin, trace.end};
    const Nanos time = total_length(intersect(times_of(trace, ready), {whole}));
    const double share =
        static_cast<double>(time) / static_cast<double>(std::max<Nanos>(whole.length(), 1));
    if (time <= 0 || share < min_share) return {};
    Finding finding;
    finding.cost = time;
    finding.share = share;
    finding.severity = severity_of(share);
    finding.title = fmt::format(
        "For {} of the trace at least one thread could run, but others have the processors",
        format_percent(share));
    finding.evidence = by_thread(trace, ready);
    finding.advice = kContentionAdvice;
    finding.places = longest_of(trace, ready);
    return {finding};
}

}  // namespace

std::vector<Finding> CpuContentionRule::find(const RuleInput& input) const {
    const ReadyTimes ready = ready_times(input);
    if (ready.empty()) return {};
    if (input.devices.empty()) return of_host(input, ready, min_share);
    std::vector<Finding> findings;
    for (const DeviceWindow& device : input.devices) {
        if (device.missing.hides_idle()) continue;
        const ReadyTimes launching = of_launching_threads(input, device, ready);
        auto finding = finding_for(device, min_share,
                                   intersect(times_of(input.trace(), launching), device.idle()));
        if (!finding) continue;
        finding->title =
            fmt::format("The GPU idles for {} while the thread that launches waits for a processor",
                        format_duration(static_cast<double>(*finding->cost)));
        finding->evidence = by_thread(input.trace(), launching);
        finding->advice = kContentionAdvice;
        finding->places = longest_of(input.trace(), launching);
        findings.push_back(std::move(*finding));
    }
    return findings;
}

}  // namespace lanescope
