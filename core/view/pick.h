// Picking: what is under a point of the timeline. Uses binary search in the trace, so it needs
// neither a window nor a frame, and agrees with what culling shows there.
#pragma once

#include <cstdint>

#include "core/trace/trace.h"
#include "core/view/cull.h"
#include "core/view/lane_layout.h"
#include "core/view/view_index.h"
#include "core/view/viewport.h"

namespace lanescope {

enum class HitKind : uint8_t {
    nothing,
    slice,       // `slice`
    run,         // `count` slices too narrow to be drawn singly; `slice` is the longest
    instant,     // `instant`, the first of `count`
    counter,     // `value` at the time
    group_head,  // `group`
    more,        // the quiet lanes of `group`
};

struct Hit {
    HitKind kind = HitKind::nothing;
    uint32_t row = LaneLayout::none;  // in LaneLayout::rows; none between rows
    // The trace's lane, anywhere in a lane's box; else LaneLayout::none. Valid for every layout,
    // since pinned lanes have a layout of their own.
    LaneId lane = LaneLayout::none;
    uint32_t group = LaneLayout::none;  // in LaneLayout::groups, for a group's heading
    Nanos time = 0;                     // at the point
    SliceRef slice;
    uint32_t count = 0;
    uint32_t outer = 0;  // outer calls that the row represents; `slice` is the innermost
    uint32_t instant = 0;
    double value = 0;
};

// x in pixels from the left edge of the view, y in the layout (including scroll). Slices within
// `reach` pixels of x are found if nothing is nearer.
Hit pick(const ViewIndex& index, const LaneLayout& layout, const Viewport& view, double x, double y,
         const CullOptions& options, double reach = 2);

// The position of a slice: its left and right edge in pixels of the view and its row (none: not in
// the layout).
struct SlicePlace {
    uint32_t row = LaneLayout::none;
    double x0 = 0;
    double x1 = 0;
};
SlicePlace place_of(const Trace& trace, const LaneLayout& layout, const Viewport& view,
                    SliceRef slice);

}  // namespace lanescope
