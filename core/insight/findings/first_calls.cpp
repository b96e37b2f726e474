#include "core/insight/findings/first_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/lane_view.h"
#include "core/base/format.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

namespace {

constexpr std::size_t kEnoughCalls = 3;
constexpr double kMediansMore = 4;
constexpr std::size_t kOperatorsListed = 3;

// The innermost operators around the first launch of each kernel.
std::set<SliceRef> operators_of_first_launches(const RuleInput& input, const DeviceWindow& device) {
    const Trace& trace = input.trace();
    const Attribution& attribution = input.attribution;
    std::map<StringId, std::pair<Nanos, SliceRef>> first;  // start of the launch, operator
    for (const GpuWork& work : device.work->work) {
        const SliceRef launch = attribution.launch[work.row];
        if (!launch || work.kind == WorkKind::copy || work.kind == WorkKind::set) continue;
        const StringId kernel = trace.name_id(trace.gpu_activities.slice[work.row]);
        const std::pair<Nanos, SliceRef> now{trace.start(launch), attribution.op[work.row]};
        const auto [at, added] = first.try_emplace(kernel, now);
        if (!added && now.first < at->second.first) at->second = now;
    }
    std::set<SliceRef> operators;
    for (const auto& [kernel, call] : first)
        if (call.second && !trace.lanes[call.second.lane].derived) operators.insert(call.second);
    return operators;
}

// Sorted durations of all operators with the same names.
std::map<StringId, std::vector<Nanos>> durations_by_name(const Trace& trace,
                                                         const std::set<SliceRef>& operators) {
    std::map<StringId, std::vector<Nanos>> durations;
    for (const SliceRef op : operators) durations[trace.name_id(op)];
    for (const SliceRef op : trace.operators.slice) {
        if (trace.lanes[op.lane].derived) continue;
        const auto found = durations.find(trace.name_id(op));
        if (found != durations.end()) found->second.push_back(trace.duration(op));
    }
    for (auto& [name, all] : durations) std::ranges::sort(all);
    return durations;
}

Intervals lazy_loading(const Trace& trace) {
    const NameTest loads(trace.strings,
                         [](std::string_view name) { return name == "Lazy Function Loading"; });
    std::vector<TimeRange> ranges;
    for (LaneId id = 0; id < trace.lanes.size(); ++id) {
        const LaneView lane(trace.lanes[id]);
        for (uint32_t i = 0; i < lane.size(); ++i)
            if (loads(lane.name(i))) ranges.push_back({lane.start(i), lane.end(i)});
    }
    return merged(std::move(ranges));
}

}  // namespace

FirstCalls first_calls(const RuleInput& input, const DeviceWindow& device, Nanos min_excess) {
    const Trace& trace = input.trace();
    const std::set<SliceRef> operators = operators_of_first_launches(input, device);
    const auto durations = durations_by_name(trace, operators);
    const Intervals loading = lazy_loading(trace);
    const Intervals& profiler = input.context.get<ProfilerOverhead>().times;
    const Intervals idle = subtract(device.idle(), profiler);
    FirstCalls found;
    std::vector<TimeRange> ranges;
    std::map<std::string, std::pair<uint64_t, Nanos>> by_name;
    Nanos with_loading = 0;
    LargestPlaces places;
    for (const SliceRef op : operators) {
        const TimeRange range{trace.start(op), trace.slice_end(op)};
        if (!device.contains_call(range.begin)) continue;
        const std::vector<Nanos>& all = durations.at(trace.name_id(op));
        const bool loads = covered_length(loading, range) > 0;
        const bool is_usual = all.size() >= kEnoughCalls;
        if (!is_usual && !loads) continue;
        const Nanos median = is_usual ? all[(all.size() - 1) / 2] : 0;
        const Nanos excess = range.length() - covered_length(profiler, range) - median;
        if (excess < min_excess ||
            static_cast<double>(excess) < kMediansMore * static_cast<double>(median))
            continue;
        const TimeRange more{range.begin, range.end - median};
        const Nanos time = covered_length(idle, more);
        if (time <= 0) continue;
        ++found.calls.count;
        ranges.push_back(more);
        places.add(op, range);
        with_loading += loads ? time : 0;
        auto& [count, sum] = by_name[fmt::format(
            "{}{}", trace.name(op),
            is_usual ? fmt::format(", which usually takes {}", format_duration(median)) : "")];
        ++count;
        sum += time;
    }
    found.calls.idle = intersect(idle, merged(std::move(ranges)));
    found.calls.places = std::move(places).take(trace);
    for (const auto& [name, sum] : by_name)
        found.calls.evidence.push_back(
            {fmt::format("idle in {} of {}", format_count(sum.first, "first call", "first calls"),
                         name),
             static_cast<double>(sum.second), "ns", ""});
    std::ranges::stable_sort(found.calls.evidence, std::greater(), &FindingEvidence::value);
    if (found.calls.evidence.size() > kOperatorsListed)
        found.calls.evidence.resize(kOperatorsListed);
    found.loads_code = 2 * with_loading > total_length(found.calls.idle);
    return found;
}

}  // namespace lanescope
