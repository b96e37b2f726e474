// TimelineModel: the timeline's trace, view, arrangement and layout of lanes, its selection and the
// slice under the pointer. Overlays and strips are layers (layer.h).
#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/view/camera.h"
#include "core/view/lane_arrangement.h"
#include "core/view/lane_layout.h"
#include "core/view/overview.h"
#include "core/view/pick.h"
#include "core/view/view_index.h"
#include "core/view/wheel.h"
#include "ui/timeline/place_history.h"

namespace lanescope {

// A rectangle in the window.
struct Box {
    float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    float width() const { return x1 - x0; }
    float height() const { return y1 - y0; }
    bool holds(ImVec2 p) const { return p.x >= x0 && p.x < x1 && p.y >= y0 && p.y < y1; }
};

// The positions of the timeline's parts.
struct TimelineAreas {
    Box overview, ruler, heads, lanes;
    Box strips;    // of layers, between ruler and lanes; empty if there are none
    Box lane_map;  // empty if all lanes are in view
    Box splitter;  // above the pinned lanes; empty if there are none
};

// A range of time that the user marked over some lanes, and the number of slices that begin in it,
// once counted.
struct MarkedRange {
    TimeRange time;
    std::vector<LaneId> lanes;  // ascending; empty: all
    std::optional<uint64_t> slices;
};

// The pinned lanes: an area below the others that does not scroll with them.
struct PinnedLanes {
    LaneLayout layout;  // without rows: no lane is pinned
    double scroll_y = 0;
    Box heads, lanes;
};

struct TimelineModel {
    ViewIndexPtr index;  // null: nothing to show
    Overview overview;
    Camera camera;
    LaneArrangement arrangement;
    LaneLayout layout;
    PinnedLanes pinned;
    double scroll_y = 0;
    float head_width = 196;  // at scale 1
    WheelHabits wheel;
    std::string frames_key;  // of the command that shows Python frames; empty: it has none

    SliceRef selected;
    std::optional<MarkedRange> marked;
    PlaceHistory places;
    // Scrolled into view at the next drawing, once the rows of opened lanes have their places.
    SliceRef revealed;
    SliceRef awaited;  // hidden by the filter until show_index(); revealed then

    // From the last frame.
    TimelineAreas areas;
    Hit hovered;
    std::optional<LaneId> pointed_lane;  // under the pointer, in heads or lanes
    // A lane found by name: takes the place of the lane under the pointer until the pointer moves.
    std::optional<LaneId> named_lane;
    bool pointer_inside = false;  // over lanes or ruler

    const Trace& trace() const { return *index->trace; }
};

}  // namespace lanescope
