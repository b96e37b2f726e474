#include "core/trace/derived_lanes.h"

#include <algorithm>

#include "core/trace/launch_queues.h"
#include "core/trace/replay_link.h"

namespace lanescope {

namespace {

constexpr DerivedLane kDerivedLanes[] = {
    {kLaunchQueueName, "queue", LaneKind::stream, "work waiting", "derived from the launches",
     "Launched, not begun", "Longest queue", add_launch_queues},
    {kReplayLaneName,
     "replay",
     LaneKind::stream,
     "layers and calls",
     "derived from the graph",
     {},
     {},
     nullptr},
};

}  // namespace

std::span<const DerivedLane> derived_lanes() {
    return kDerivedLanes;
}

const DerivedLane* declaration_of(const Trace& trace, const Lane& lane) {
    if (!lane.derived) return nullptr;
    const auto* const found =
        std::ranges::find(kDerivedLanes, trace.strings[lane.name], &DerivedLane::name);
    return found == std::end(kDerivedLanes) ? nullptr : found;
}

const Lane* origin_of(const Trace& trace, const Lane& lane) {
    const DerivedLane* const declaration = declaration_of(trace, lane);
    if (!declaration) return nullptr;
    const auto found = std::ranges::find_if(trace.lanes, [&](const Lane& other) {
        return other.kind == declaration->origin && !other.derived &&
               other.process == lane.process && other.tid == lane.tid;
    });
    return found == trace.lanes.end() ? nullptr : &*found;
}

}  // namespace lanescope
