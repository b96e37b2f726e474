// Changes of the timeline that other parts of the window ask for.
#include <algorithm>
#include <utility>

#include "ui/timeline/timeline.h"

namespace lanescope {

void mark_range(Timeline& timeline, TimeRange time, std::vector<LaneId> lanes) {
    timeline.marked = MarkedRange{time, std::move(lanes), std::nullopt};
}

void unmark_range(Timeline& timeline) {
    timeline.marked.reset();
}

void mark_lanes(Timeline& timeline, std::vector<LaneId> lanes) {
    if (timeline.marked) timeline.marked->lanes = std::move(lanes);
}

void set_marked_slices(Timeline& timeline, uint64_t slices) {
    if (timeline.marked) timeline.marked->slices = slices;
}

void frame_range(Timeline& timeline, TimeRange range, double margin) {
    timeline.camera.frame(range, margin);
}

void move_to(Timeline& timeline, Viewport view) {
    view.width = timeline.camera.target().width;
    timeline.camera.go_to(clamped(view, timeline.camera.content()));
}

void center_on(Timeline& timeline, Nanos time) {
    const Viewport& target = timeline.camera.target();
    timeline.camera.pan(target.px_of(time) - target.width / 2);
}

void set_scroll(Timeline& timeline, double scroll_y) {
    timeline.scroll_y = scroll_y;
}

void arrange(Timeline& timeline, const std::function<void(LaneArrangement&)>& change) {
    change(timeline.arrangement);
}

void name_lane(Timeline& timeline, std::optional<LaneId> lane) {
    timeline.named_lane = lane;
}

void note_place(Timeline& timeline) {
    const VisitedPlace place{timeline.camera.target(), timeline.selected};
    if (timeline.camera.untouched() && !timeline.selected)
        timeline.places.begin(place);
    else
        timeline.places.note(place);
}

void set_head_width(Timeline& timeline, float width) {
    timeline.head_width = width;
}

void resize_heads(Timeline& timeline, float change) {
    timeline.head_width = std::clamp(timeline.head_width + change, 90.0f, 600.0f);
}

void set_motion(Timeline& timeline, bool motion) {
    timeline.camera.set_motion(motion);
}

void set_wheel(Timeline& timeline, WheelHabits wheel) {
    timeline.wheel = wheel;
}

void set_frames_key(Timeline& timeline, std::string keys) {
    timeline.frames_key = std::move(keys);
}

}  // namespace lanescope
