// The lane map: all lanes of a layout in little, beside those that there is room for. A bar for
// each row, as long as the row is busy, in the colour of what it does most.
#pragma once

#include <cstdint>
#include <vector>

#include "core/view/lane_layout.h"
#include "core/view/view_index.h"

namespace lanescope {

struct LaneMapRow {
    uint32_t row = 0;  // in LaneLayout::rows
    float busy = 0;    // part of the time in which something runs, 0 to 1
    Slot slot = 0;     // of what runs for the longest
};

struct LaneMap {
    std::vector<LaneMapRow> rows;  // those with slices, from the top down
};

// How busy the rows of a layout are over `content`. Its cost depends on the rows; keep it for as
// long as the layout stands.
LaneMap build_lane_map(const ViewIndex& index, const LaneLayout& layout, TimeRange content);

// One bar of the picture: lines [y0, y1) of it.
struct LaneMapBar {
    uint32_t y0 = 0;
    uint32_t y1 = 0;
    float busy = 0;
    Slot slot = 0;
};

// The bars of a picture of the whole layout that is `height` lines high. At most one begins in a
// line, of the row there that is busiest.
std::vector<LaneMapBar> lane_map_bars(const LaneMap& map, const LaneLayout& layout,
                                      uint32_t height);

// The scroll that brings the layout's part at `y` of such a picture to the middle of a view that
// shows `shown` of the layout's height; within what can be scrolled to.
double lane_map_scroll(const LaneLayout& layout, double height, double y, double shown);

}  // namespace lanescope
