// The lane map: all lanes of a layout in miniature, beside the visible ones. Each row is a bar: its
// length is the busy share, its colour shows the row's main activity.
#pragma once

#include <cstdint>
#include <vector>

#include "core/view/lane_layout.h"
#include "core/view/view_index.h"

namespace lanescope {

struct LaneMapRow {
    uint32_t row = 0;  // in LaneLayout::rows
    float busy = 0;    // fraction of time in which something runs, 0 to 1
    Slot slot = 0;     // with the longest running time
};

struct LaneMap {
    std::vector<LaneMapRow> rows;  // rows with slices, from the top
};

// Computes how busy the rows of a layout are over `content`. The cost depends on the number of
// rows; cache the result with the layout.
LaneMap build_lane_map(const ViewIndex& index, const LaneLayout& layout, TimeRange content);

// One bar of the picture: its lines [y0, y1).
struct LaneMapBar {
    uint32_t y0 = 0;
    uint32_t y1 = 0;
    float busy = 0;
    Slot slot = 0;
};

// The bars of a picture of the whole layout, `height` lines high. At most one bar begins in each
// line: the bar of the busiest row.
std::vector<LaneMapBar> lane_map_bars(const LaneMap& map, const LaneLayout& layout,
                                      uint32_t height);

// The scroll position that centres the layout's part at `y` of the picture in a view of height
// `shown`, clamped to valid positions.
double lane_map_scroll(const LaneLayout& layout, double height, double y, double shown);

}  // namespace lanescope
