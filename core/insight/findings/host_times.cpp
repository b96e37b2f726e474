#include "core/insight/findings/host_times.h"

#include <algorithm>

#include "core/analysis/collectives/collectives.h"
#include "core/analysis/structure/lane_view.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

namespace {

Intervals operator_times(const Trace& trace) {
    // The call that only starts a collective does not compute.
    const NameTest starts_collective(
        trace.strings, [](std::string_view name) { return name.starts_with("c10d::"); });
    UnionOfRows all;
    for (LaneId id = 0; id < trace.lanes.size(); ++id) {
        if (trace.lanes[id].kind != LaneKind::thread) continue;
        const LaneView lane(trace.lanes[id]);
        std::vector<TimeRange> ranges;
        for (uint32_t i = 0; i < lane.size(); ++i)
            if (trace.event_class({id, i}) == EventClass::op && !starts_collective(lane.name(i)))
                ranges.push_back({lane.start(i), lane.end(i)});
        for (const TimeRange& range : merged(std::move(ranges))) all.add(range);
        all.end_row();
    }
    return std::move(all).take();
}

}  // namespace

HostTimes HostTimes::of(const RuleInput& input) {
    const Trace& trace = input.trace();
    const auto union_of = [&](const std::vector<SliceRef>& slices) {
        std::vector<TimeRange> ranges;
        ranges.reserve(slices.size());
        for (const SliceRef slice : slices)
            ranges.push_back({trace.start(slice), trace.slice_end(slice)});
        return merged(std::move(ranges));
    };
    HostTimes host;
    host.steps = steady_steps_of(input);
    host.loading = union_of(slices_named(input, NameTest(trace.strings, is_data_loading)));
    std::vector<SliceRef> collectives;
    for (const CollectiveRow& row : input.context.get<AllCollectives>().rows)
        if (row.activity == kNoRow) collectives.push_back(row.slice);
    host.communication = union_of(collectives);
    if (!host.communication.empty()) host.computing = operator_times(trace);
    return host;
}

std::optional<Finding> host_time_finding(const HostTimes& host, const Intervals& time,
                                         double min_share) {
    const Nanos cost = total_length(intersect(time, host.steps));
    const Nanos whole = std::max<Nanos>(total_length(host.steps), 1);
    const double share = static_cast<double>(cost) / static_cast<double>(whole);
    if (cost <= 0 || share < min_share) return {};
    Finding finding;
    finding.cost = cost;
    finding.share = share;
    finding.severity = severity_of(share);
    return finding;
}

}  // namespace lanescope
