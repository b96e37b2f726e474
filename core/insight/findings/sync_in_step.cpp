// The host waits for the GPU, which then idles until the host has launched more work.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/analysis/gpu/gaps.h"
#include "core/analysis/gpu/synchronisations.h"
#include "core/base/flat_map.h"
#include "core/base/format.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

struct SyncInStepRule : RuleBase {
    static constexpr RuleText kText = {"sync-in-step", "The host waits for the GPU inside steps",
                                       "calls of the runtime and GPU work", RuleAbout::idle_time};
    double min_share =
        ratio("min_share", 0.02, "idle time behind calls that wait, as a share of the steps");
    double min_wait = ratio("min_wait", 0.20,
                            "time of the host in calls that wait, as a share of the steps, to be "
                            "mentioned although the GPU loses little");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<SyncInStepRule>();

namespace {

struct Waits {
    uint64_t all_calls = 0;   // also those behind which the device goes on
    Nanos host = 0;           // the union of these calls
    Nanos idle_in_calls = 0;  // of the device during them
    uint64_t calls = 0;
    Nanos idle = 0;  // gaps of the device that begin when the awaited work ends
    std::map<std::string_view, std::pair<uint64_t, Nanos>> by_cause;  // calls, idle
    std::vector<TimeRange> gaps;
    LargestPlaces places, all_places;
};

// The device's gaps by the row of the activity whose end begins them.
FlatMap<TimeRange> gaps_after(const DeviceWindow& device) {
    FlatMap<TimeRange> gaps(device.gaps.size());
    for (const IdleGap* const gap : device.gaps) gaps.try_emplace(gap->before, gap->range);
    return gaps;
}

Waits waits_in(const RuleInput& input, const DeviceWindow& device) {
    const Trace& trace = input.trace();
    const FlatMap<TimeRange> gaps = gaps_after(device);
    std::vector<bool> counted(trace.gpu_activities.slice.size());
    Waits waits;
    std::vector<TimeRange> calls;
    for (const Synchronisation& sync : input.context.get<AllSynchronisations>().rows) {
        const Nanos begin = trace.start(sync.call);
        if (sync.cause == SyncCause::profiler || sync.waited_for == kNoRow || sync.waited <= 0 ||
            !device.contains_call(begin) ||
            !device.summary->users[trace.lanes[sync.call.lane].process])
            continue;
        ++waits.all_calls;
        calls.push_back({begin, trace.slice_end(sync.call)});
        waits.all_places.add(sync.call, calls.back());
        const TimeRange* const gap = gaps.find(sync.waited_for);
        // Several calls may have waited for the same work.
        if (!gap || counted[sync.waited_for]) continue;
        counted[sync.waited_for] = true;
        // The loader's times are idle times of the window.
        const Nanos idle =
            covered_length(device.times, *gap) - covered_length(device.loading, *gap);
        waits.gaps.push_back(*gap);
        if (idle <= 0) continue;
        ++waits.calls;
        waits.idle += idle;
        const SliceRef op = sync.outer_op ? sync.outer_op : sync.call;
        auto& [count, time] = waits.by_cause[trace.name(op)];
        ++count;
        time += idle;
        waits.places.add(sync.call, calls.back());
    }
    const Intervals waiting = intersect(merged(std::move(calls)), device.times);
    waits.host = total_length(waiting);
    waits.idle_in_calls = total_length(subtract(waiting, device.busy));
    return waits;
}

// If the GPU idles for this share of the calls' time, the calls do not wait for recorded work.
constexpr double kIdleInCalls = 0.5;

// The host waits, but the GPU does not idle because of that.
Finding without_cost(const Trace& trace, const DeviceWindow& device, Waits waits) {
    Finding finding;
    finding.cost_kind = CostKind::none;
    finding.share = device.share(waits.host);
    finding.title = fmt::format("{} for the GPU, {} together; the GPU idles little because of them",
                                format_count(waits.all_calls, "call waits", "calls wait"),
                                format_duration(waits.host));
    finding.evidence = {{"idle time behind them", static_cast<double>(waits.idle), "ns", ""},
                        {"time of the host in them", static_cast<double>(waits.host), "ns",
                         "synchronisations.duration_ns"}};
    finding.places = std::move(waits.all_places).take(trace);
    if (static_cast<double>(waits.idle_in_calls) > kIdleInCalls * static_cast<double>(waits.host)) {
        finding.title = fmt::format(
            "{} {} in which the GPU mostly idles too; the file does not record the cause",
            format_count(waits.all_calls, "call waits", "calls wait"), format_duration(waits.host));
        finding.evidence = {
            duration_of("idle time of the GPU during them", waits.idle_in_calls, ""),
            duration_of("time of the host in them", waits.host, "synchronisations.duration_ns")};
        finding.confidence = Confidence::possible;
        finding.advice =
            "Look at what else could hold up the work that had been launched: other streams and "
            "processes on the GPU, another rank, the first load of code, or the profiler itself. "
            "Record a longer time: work that began before the recording is not in the file.";
        return finding;
    }
    finding.advice =
        "While the host waits it launches nothing. It matters if the GPU idles afterwards; in a "
        "GPU-bound program it only shows how far the host is ahead.";
    return finding;
}

}  // namespace

std::optional<Finding> SyncInStepRule::on_device(const RuleInput& input,
                                                 const DeviceWindow& device) const {
    Waits waits = waits_in(input, device);
    if (waits.idle <= 0 || device.share(waits.idle) < min_share) {
        if (device.share(waits.host) >= min_wait)
            return without_cost(input.trace(), device, std::move(waits));
        return {};
    }
    Finding finding = finding_on(device, waits.idle);
    const auto most = std::ranges::max_element(
        waits.by_cause, {}, [](const auto& entry) { return entry.second.second; });
    finding.title = fmt::format("{} for the GPU, which then idles for {}; most of it follows {}",
                                format_count(waits.calls, "call waits", "calls wait"),
                                format_duration(waits.idle), most->first);
    finding.evidence = {
        {"calls that wait", static_cast<double>(waits.calls), "count", "synchronisations.calls"}};
    for (const auto& [name, cause] : waits.by_cause)
        finding.evidence.push_back(
            {fmt::format("idle behind {} in {}", format_count(cause.first, "call", "calls"), name),
             static_cast<double>(cause.second), "ns", ""});
    std::ranges::stable_sort(finding.evidence.begin() + 1, finding.evidence.end(), std::greater(),
                             &FindingEvidence::value);
    if (finding.evidence.size() > 6) finding.evidence.resize(6);
    finding.advice =
        "Keep values on the GPU: log .item() of every tenth step only, use masks instead of "
        "nonzero() and bool(tensor), copy with non_blocking=True from pinned memory, and "
        "remove torch.cuda.synchronize() from the loop.";
    finding.places = std::move(waits.places).take(input.trace());
    finding.times =
        subtract(intersect(merged(std::move(waits.gaps)), device.times), device.loading);
    return finding;
}

}  // namespace lanescope
