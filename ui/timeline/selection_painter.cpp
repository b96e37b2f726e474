// The selected slice: its frame, and its flows to launches and kernels.
#include <algorithm>
#include <cmath>

#include "core/trace/query.h"
#include "ui/timeline/lane_painter.h"

namespace lanescope {

namespace {

constexpr std::size_t kMostFlows = 64;  // of one slice, drawn

void paint_flow(const PaintInput& in, ImDrawList& list, SliceRef from, SliceRef to) {
    const SliceBox a = slice_box(in.timeline, from);
    const SliceBox b = slice_box(in.timeline, to);
    if (!a.visible || !b.visible) return;
    const float px = in.look.scale;
    const bool downward = b.y0 >= a.y0;
    const ImVec2 start{std::min(a.x0 + 3 * px, (a.x0 + a.x1) / 2),
                       downward ? a.y1 - 4 * px : a.y0 + 4 * px};
    const ImVec2 end{std::min(b.x0 + 2 * px, (b.x0 + b.x1) / 2), downward ? b.y0 : b.y1};
    const float middle = (start.y + end.y) / 2;
    list.AddBezierCubic(start, {start.x, middle}, {end.x, middle}, end, in.look.colors.accent,
                        1.6f * px);
    list.AddCircleFilled(start, 2.5f * px, in.look.colors.accent);
    const float head = downward ? -5 * px : 5 * px;
    list.AddTriangleFilled(end, {end.x - 3 * px, end.y + head}, {end.x + 3 * px, end.y + head},
                           in.look.colors.accent);
}

}  // namespace

SliceBox slice_box(const Timeline& timeline, SliceRef slice) {
    const SlicePlace place =
        place_of(timeline.trace(), timeline.layout, timeline.camera.view(), slice);
    if (place.row == LaneLayout::none) return {0, 0, 0, 0, false};
    const LayoutRow& row = timeline.layout.rows[place.row];
    const Box& lanes = timeline.areas.lanes;
    const auto y0 = static_cast<float>(std::round(lanes.y0 + row.y - timeline.scroll_y));
    // Far outside the view floats lose pixels, and nobody sees them.
    const double far = lanes.width() + 1e4;
    const auto x0 = static_cast<float>(std::round(lanes.x0 + std::clamp(place.x0, -far, far)));
    const auto x1 = static_cast<float>(std::round(lanes.x0 + std::clamp(place.x1, -far, far)));
    return {x0, y0, std::max(x1, x0 + 1), y0 + static_cast<float>(std::round(row.height)), true};
}

void paint_selection(const PaintInput& in, QuadBatch& batch) {
    const SliceRef selected = in.timeline.selected;
    if (!selected) return;
    const SliceBox box = slice_box(in.timeline, selected);
    if (!box.visible) return;
    const float line = std::max(2.0f, std::round(1.5f * in.look.scale));
    const float out = line - std::max(1.0f, std::floor(in.look.scale / 2));
    batch.frame(box.x0 - out, box.y0 - out, box.x1 + out, box.y1 + out, line, in.look.colors.hi);
}

void paint_flows(const PaintInput& in, ImDrawList& list) {
    const SliceRef selected = in.timeline.selected;
    if (!selected) return;
    paint_chain(in, list);
    const Trace& trace = in.timeline.trace();
    paint_same_call(in, list);
    std::size_t drawn = 0;
    for (const Link& link : links_from(trace, selected)) {
        if (++drawn > kMostFlows) return;
        paint_flow(in, list, selected, link.to);
    }
    for (const uint32_t index : links_to(trace, selected)) {
        if (++drawn > kMostFlows) return;
        paint_flow(in, list, trace.links[index].from, selected);
    }
}

}  // namespace lanescope
