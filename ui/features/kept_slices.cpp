#include "ui/features/kept_slices.h"

#include "core/trace/join.h"

namespace lanescope {

namespace {

// The part of the same name and number of lanes; null: none.
const TracePart* same_part(const Trace& trace, const TracePart& part) {
    for (const TracePart& other : trace.parts)
        if (other.key == part.key && other.lane_count == part.lane_count) return &other;
    return nullptr;
}

}  // namespace

std::optional<LaneId> lane_in_join(const Trace& before, const Trace& after, LaneId lane) {
    TracePart from;
    from.key = before.path;
    from.lane_count = static_cast<uint32_t>(before.lanes.size());
    if (!before.parts.empty()) from = before.parts[part_of(before, lane)];
    const TracePart* to = same_part(after, from);
    if (!to) return std::nullopt;
    return lane - from.first_lane + to->first_lane;
}

SliceRef slice_in_join(const Trace& before, const Trace& after, SliceRef slice) {
    if (!slice) return {};
    const auto lane = lane_in_join(before, after, slice.lane);
    return lane ? SliceRef{*lane, slice.index} : SliceRef{};
}

}  // namespace lanescope
