#include "core/insight/findings/window_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "core/analysis/structure/lane_view.h"
#include "core/base/format.h"

namespace lanescope {

namespace {

constexpr std::size_t kLongestPlaces = 20;
constexpr std::size_t kOperatorsNamed = 3;

}  // namespace

std::vector<SliceRef> slices_named(const RuleInput& input, const NameTest& test) {
    const Trace& trace = input.trace();
    std::vector<SliceRef> found;
    for (LaneId id = 0; id < trace.lanes.size(); ++id) {
        if (trace.lanes[id].kind != LaneKind::thread) continue;
        const LaneView lane(trace.lanes[id]);
        for (uint32_t i = 0; i < lane.size(); ++i)
            if (test(lane.name(i)) && is_inside(input, {lane.start(i), lane.end(i)}))
                found.push_back({id, i});
    }
    return found;
}

SliceRef caller_with(const RuleInput& input, SliceRef slice, const NameTest& test) {
    if (!slice) return {};
    const Trace& trace = input.trace();
    const CallTree& tree = input.trees.by_lane[slice.lane];
    if (tree.parent.empty()) return {};
    for (uint32_t index = slice.index; index != CallTree::none; index = tree.parent[index])
        if (test(trace.name_id({slice.lane, index}))) return {slice.lane, index};
    return {};
}

Intervals steady_steps_of(const RuleInput& input) {
    const Steps& all = input.context.get<Steps>();
    std::vector<TimeRange> ranges;
    for (const SummaryStep& row : input.summary.steps.all)
        if (!row.warm_up && is_inside(input, all.all[row.step].range))
            ranges.push_back(all.all[row.step].range);
    if (!ranges.empty()) return merged(std::move(ranges));
    const TimeRange whole{input.trace().origin, input.trace().end};
    return intersect({input.query.range.value_or(whole)}, {whole});
}

bool is_training(const Trace& trace) {
    for (StringId id = 0; id < trace.strings.size(); ++id) {
        const std::string_view name = trace.strings[id];
        if (name.starts_with("autograd::engine::evaluate_function") ||
            name.starts_with("Optimizer.step") || name.ends_with("Backward0"))
            return true;
    }
    return false;
}

Intervals first_share(const Intervals& times, double share) {
    std::vector<TimeRange> ranges;
    ranges.reserve(times.size());
    for (const TimeRange& time : times) {
        const auto length = static_cast<Nanos>(static_cast<double>(time.length()) * share);
        ranges.push_back({time.begin, time.begin + length});
    }
    return merged(std::move(ranges));
}

std::optional<Finding> finding_for(const DeviceWindow& device, double min_share, Intervals times) {
    const Nanos cost = total_length(times);
    if (cost <= 0 || device.share(cost) < min_share) return {};
    Finding finding = finding_on(device, cost);
    finding.times = std::move(times);
    return finding;
}

std::vector<FindingPlace> places_of(const Trace& trace, const std::vector<GpuWork>& work) {
    std::vector<GpuWork> longest(std::min(work.size(), kLongestPlaces));
    std::ranges::partial_sort_copy(work, longest, [](const GpuWork& a, const GpuWork& b) {
        return std::pair(-a.range.length(), a.range.begin) <
               std::pair(-b.range.length(), b.range.begin);
    });
    std::vector<FindingPlace> places;
    places.reserve(longest.size());
    for (const GpuWork& one : longest)
        places.push_back(place_of(trace, trace.gpu_activities.slice[one.row]));
    return places;
}

FindingEvidence remark(std::string_view text) {
    return {std::string(text), std::numeric_limits<double>::quiet_NaN(), "", ""};
}

FindingEvidence duration_of(std::string_view text, Nanos time, std::string_view column) {
    return {std::string(text), static_cast<double>(time), "ns", column};
}

std::vector<FindingEvidence> by_operator(
    const RuleInput& input, const std::vector<GpuWork>& work,
    const std::function<SliceRef(const GpuWork&)>& operator_of) {
    const Trace& trace = input.trace();
    const Attribution& attribution = input.attribution;
    struct Sum {
        Nanos time = 0;
        uint64_t count = 0;
    };
    std::map<std::string_view, Sum> sums;
    for (const GpuWork& one : work) {
        const SliceRef op = operator_of ? operator_of(one) : attribution.op[one.row];
        Sum& sum = sums[op ? trace.name(op) : std::string_view()];
        sum.time += one.range.length();
        ++sum.count;
    }
    std::vector<std::pair<std::string_view, Sum>> longest(sums.begin(), sums.end());
    std::ranges::stable_sort(longest, std::greater(),
                             [](const auto& entry) { return entry.second.time; });
    if (longest.size() > kOperatorsNamed) longest.resize(kOperatorsNamed);
    std::vector<FindingEvidence> evidence;
    for (const auto& [name, sum] : longest) {
        if (name.empty()) continue;
        evidence.push_back({fmt::format("in {} launched by {}",
                                        format_count(sum.count, "activity", "activities"), name),
                            static_cast<double>(sum.time), "ns", "kernels.total_ns"});
    }
    return evidence;
}

Nanos time_of(std::span<const GpuWork> work) {
    Nanos time = 0;
    for (const GpuWork& one : work) time += one.range.length();
    return time;
}

}  // namespace lanescope
