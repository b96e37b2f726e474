// Brings GPU work into view.
#include <algorithm>

#include "ui/timeline/timeline.h"

namespace lanescope {

namespace {

bool has_gpu_work(const Trace& trace, const LaneBox& box) {
    return trace.lanes[box.id].kind == LaneKind::stream && trace.lanes[box.id].slice_count > 0;
}

bool shows_gpu_work(const Timeline& timeline) {
    constexpr double kSeen = 16;  // minimum pixels of a visible lane, if it is higher than them
    const double top = timeline.scroll_y;
    const double bottom = top + static_cast<double>(timeline.areas.lanes.height());
    return std::ranges::any_of(timeline.layout.lanes, [&](const LaneBox& box) {
        return has_gpu_work(timeline.trace(), box) &&
               std::min(bottom, box.y + box.height) - std::max(top, box.y) >=
                   std::min(kSeen, box.height);
    });
}

// The stream with most slices, or null.
const LaneBox* fullest_stream(const Timeline& timeline) {
    const Trace& trace = timeline.trace();
    const LaneBox* fullest = nullptr;
    for (const LaneBox& box : timeline.layout.lanes) {
        if (!has_gpu_work(trace, box)) continue;
        if (!fullest || trace.lanes[box.id].slice_count > trace.lanes[fullest->id].slice_count)
            fullest = &box;
    }
    return fullest;
}

}  // namespace

void reveal_gpu_work(Timeline& timeline) {
    for (const bool pinned : {true, false}) {
        const PinnedScope scope(timeline, pinned);
        if (shows_gpu_work(timeline)) return;
    }
    for (const bool pinned : {true, false}) {
        const PinnedScope scope(timeline, pinned);
        const LaneBox* const fullest = fullest_stream(timeline);
        if (!fullest) continue;
        // Centres the lane, because the lanes around it belong to it.
        const double around = std::max(0.0, (timeline.areas.lanes.height() - fullest->height) / 2);
        scroll_to(timeline, fullest->y - around, fullest->y + fullest->height + around);
        return;
    }
}

}  // namespace lanescope
