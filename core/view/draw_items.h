// What a frame paints, as plain items: rectangles, labels, runs, curves, ticks.
#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/trace.h"
#include "core/view/palette.h"

namespace lanescope {

// A slice wide enough to be drawn singly. x in pixels from the left edge of the view: exact in the
// view, clipped slightly outside it.
struct RectItem {
    float x0 = 0;
    float x1 = 0;
    uint32_t slice = 0;  // index in the row's lane
    StringId name = 0;
    Slot slot = 0;
};

// A label that fits on its rectangle: from `x`, at most `width` pixels. It stays in the view: a
// slice that begins left of the view has its label at the left edge.
struct LabelItem {
    uint32_t rect = 0;  // in DrawItems::rects
    float x = 0;
    float width = 0;
};

// Adjacent slices too narrow to be drawn singly: whole pixel columns [x0, x1). Their colours are
// the same columns of row `strip` in DrawItems::strips.
struct RunItem {
    int32_t x0 = 0;
    int32_t x1 = 0;
    uint32_t count = 0;    // slices
    uint32_t longest = 0;  // index of the longest slice in the lane
};

// One pixel column of a curve; values from 0 (bottom) to 1 (top). The curve stays at `last` up to
// the next point, and covers `min` to `max` within its column.
struct CurvePoint {
    float x = 0;
    float min = 0;
    float max = 0;
    float last = 0;
};

// One or more instants in one pixel column.
struct TickItem {
    float x = 0;
    uint32_t first = 0;  // index in the lane's instants
    uint32_t count = 0;
    Slot slot = 0;  // slot of the first instant
};

// The items of one visible row, as ranges in the arrays of DrawItems.
struct RowItems {
    uint32_t row = 0;  // in LaneLayout::rows
    LaneId lane = 0;
    uint32_t strip = 0;  // row of DrawItems::strips
    uint32_t rect_begin = 0, rect_end = 0;
    uint32_t label_begin = 0, label_end = 0;
    uint32_t run_begin = 0, run_end = 0;
    uint32_t point_begin = 0, point_end = 0;
    uint32_t tick_begin = 0, tick_end = 0;
    double value_min = 0, value_max = 0;  // the values of a curve at 0 and 1
};

// An image with a texel for each pixel column and a line for each row with runs. Only the columns
// of runs are written; all others are undefined. Sample without filtering.
struct StripImage {
    uint32_t width = 0;
    uint32_t height = 0;           // lines in use
    std::vector<uint32_t> texels;  // RGBA as in Color::packed; line by line
    std::vector<Slot> slots;       // the slots of these colours, line by line
};

struct DrawItems {
    std::vector<RowItems> rows;  // from the top down
    std::vector<RectItem> rects;
    std::vector<LabelItem> labels;
    std::vector<RunItem> runs;
    std::vector<CurvePoint> points;
    std::vector<TickItem> ticks;
    StripImage strips;
    uint64_t generation = 0;  // grows with each rebuild: upload again when it has changed
};

}  // namespace lanescope
