// The host waits for the GPU, which then idles until the host has launched more work.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/analysis/gpu/gaps.h"
#include "core/analysis/gpu/synchronisations.h"
#include "core/base/flat_map.h"
#include "core/base/format.h"
#include "core/insight/findings/rule_list.h"

namespace lanescope {

namespace {

constexpr std::string_view kSyncId = "sync-in-step";
constexpr std::array kSyncThresholds = {
    ThresholdSpec{"min_share", 0.02, ThresholdUnit::ratio,
                  "idle time behind calls that wait, as a share of the steps"},
};

std::vector<Finding> find_syncs(const RuleInput& input);

constexpr FindingRule kSyncRule = {kSyncId, "The host waits for the GPU inside steps",
                                   "calls of the runtime and GPU work", kSyncThresholds,
                                   find_syncs};

struct Waits {
    uint64_t calls = 0;
    Nanos idle = 0;  // gaps of the device that begin when the awaited work ends
    std::map<std::string_view, std::pair<uint64_t, Nanos>> by_cause;  // calls, idle
    std::vector<TimeRange> gaps;
    std::vector<FindingPlace> places;
};

// The device's gaps by the row of the activity whose end begins them.
std::map<uint32_t, TimeRange> gaps_after(const RuleInput& input, const DeviceWindow& device) {
    std::map<uint32_t, TimeRange> gaps;
    for (const IdleGap& gap : input.context.get<AllIdleGaps>().rows)
        if (gap.of_device && gap.process == device.summary->process &&
            gap.device == device.summary->device)
            gaps[gap.before] = gap.range;
    return gaps;
}

Waits waits_in(const RuleInput& input, const DeviceWindow& device) {
    const Trace& trace = input.trace();
    std::map<uint32_t, TimeRange> gaps = gaps_after(input, device);
    Waits waits;
    for (const Synchronisation& sync : input.context.get<AllSynchronisations>().rows) {
        const Nanos begin = trace.start(sync.call);
        if (sync.cause == SyncCause::profiler || sync.waited_for == kNoRow || sync.waited <= 0 ||
            !device.contains(begin) || !device.summary->users[trace.lanes[sync.call.lane].process])
            continue;
        const auto gap = gaps.find(sync.waited_for);
        if (gap == gaps.end()) continue;
        const Nanos idle = covered_length(device.times, gap->second);
        waits.gaps.push_back(gap->second);
        gaps.erase(gap);  // several calls may have waited for the same work
        if (idle <= 0) continue;
        ++waits.calls;
        waits.idle += idle;
        const SliceRef op = sync.outer_op ? sync.outer_op : sync.call;
        auto& [calls, time] = waits.by_cause[trace.name(op)];
        ++calls;
        time += idle;
        waits.places.push_back(place_of(trace, sync.call));
    }
    keep_largest(waits.places);
    return waits;
}

std::vector<Finding> find_syncs(const RuleInput& input) {
    std::vector<Finding> findings;
    for (const DeviceWindow& device : input.devices) {
        Waits waits = waits_in(input, device);
        if (waits.idle <= 0 || device.share(waits.idle) < input.thresholds.of(kSyncId, "min_share"))
            continue;
        Finding finding = finding_on(kSyncRule, device, waits.idle);
        const auto most = std::ranges::max_element(
            waits.by_cause, {}, [](const auto& entry) { return entry.second.second; });
        finding.title = fmt::format("{} for the GPU, which then idles for {}, mostly in {}",
                                    format_count(waits.calls, "call waits", "calls wait"),
                                    format_duration(waits.idle), most->first);
        finding.evidence = {{"calls that wait", static_cast<double>(waits.calls), "count",
                             "synchronisations.calls"}};
        for (const auto& [name, cause] : waits.by_cause)
            finding.evidence.push_back(
                {fmt::format("idle behind {} in {}", format_count(cause.first, "call", "calls"),
                             name),
                 static_cast<double>(cause.second), "ns", ""});
        std::ranges::stable_sort(finding.evidence.begin() + 1, finding.evidence.end(),
                                 std::greater(), &Evidence::value);
        if (finding.evidence.size() > 6) finding.evidence.resize(6);
        finding.advice =
            "Keep values on the GPU: log .item() of every tenth step only, use masks instead of "
            "nonzero() and bool(tensor), copy with non_blocking=True from pinned memory, and "
            "remove "
            "torch.cuda.synchronize() from the loop.";
        finding.places = std::move(waits.places);
        finding.times = intersect(merged(std::move(waits.gaps)), device.times);
        findings.push_back(std::move(finding));
    }
    return findings;
}

}  // namespace

FindingRule sync_in_step() {
    return kSyncRule;
}

}  // namespace lanescope
