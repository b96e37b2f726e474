// An arrow along a flow from slice to slice.
#pragma once

#include "ui/timeline/lane_painter.h"

namespace lanescope {

struct FlowLook {
    ImU32 color;
    float width;   // px at scale 1
    int segments;  // segments of its curve; 0: as many as necessary
};

// Returns false if no part of the flow is in view.
bool paint_flow(const PaintInput& input, ImDrawList& list, SliceRef from, SliceRef to,
                FlowLook look);

}  // namespace lanescope
