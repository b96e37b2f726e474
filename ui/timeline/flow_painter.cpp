#include "ui/timeline/flow_painter.h"

#include <algorithm>

namespace lanescope {

bool paint_flow(const PaintInput& in, ImDrawList& list, SliceRef from, SliceRef to, FlowLook look) {
    const SliceBox a = slice_box(in.timeline, from);
    const SliceBox b = slice_box(in.timeline, to);
    if (!a.visible || !b.visible) return false;
    const Box& lanes = in.timeline.areas.lanes;
    const auto outside = [](float p, float q, float min, float max) {
        return std::max(p, q) < min || std::min(p, q) > max;
    };
    if (outside(a.x0, b.x0, lanes.x0, lanes.x1) || outside(a.y0, b.y0, lanes.y0, lanes.y1))
        return false;
    const float px = in.look.scale;
    const bool downward = b.y0 >= a.y0;
    const ImVec2 start{std::min(a.x0 + 3 * px, (a.x0 + a.x1) / 2),
                       downward ? a.y1 - 4 * px : a.y0 + 4 * px};
    const ImVec2 end{std::min(b.x0 + 2 * px, (b.x0 + b.x1) / 2), downward ? b.y0 : b.y1};
    const float middle = (start.y + end.y) / 2;
    list.AddBezierCubic(start, {start.x, middle}, {end.x, middle}, end, look.color, look.width * px,
                        look.segments);
    list.AddCircleFilled(start, (look.width + 1) * px, look.color, look.segments);
    const float head = downward ? -5 * px : 5 * px;
    list.AddTriangleFilled(end, {end.x - 3 * px, end.y + head}, {end.x + 3 * px, end.y + head},
                           look.color);
    return true;
}

}  // namespace lanescope
