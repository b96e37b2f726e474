// The selected slice: its frame, and its flows to launches and kernels.
#include <algorithm>
#include <cmath>

#include "core/trace/query.h"
#include "ui/timeline/lane_painter.h"

namespace lanescope {

namespace {

constexpr std::size_t kMaxFlows = 64;      // maximum number of flows drawn for one slice
constexpr float kFlashReach = 12;          // px at scale 1 that the frame shrinks by while it fades
constexpr std::size_t kMaxAllFlows = 400;  // maximum number of flows drawn for all slices in view

struct FlowLook {
    ImU32 color;
    float width;   // px at scale 1
    int segments;  // segments of its curve; 0: as many as necessary
};

// Returns false if no part of the flow is in view.
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

}  // namespace

SliceBox slice_box(const Timeline& timeline, SliceRef slice) {
    const Viewport& view = timeline.camera.view();
    SlicePlace place = place_of(timeline.trace(), timeline.layout, view, slice);
    const bool elsewhere = place.row == LaneLayout::none;
    if (elsewhere) place = place_of(timeline.trace(), timeline.pinned.layout, view, slice);
    if (place.row == LaneLayout::none) return {0, 0, 0, 0, false};
    const LayoutRow& row = (elsewhere ? timeline.pinned.layout : timeline.layout).rows[place.row];
    const Box& lanes = elsewhere ? timeline.pinned.lanes : timeline.areas.lanes;
    const double scroll_y = elsewhere ? timeline.pinned.scroll_y : timeline.scroll_y;
    auto y0 = static_cast<float>(std::round(lanes.y0 + row.y - scroll_y));
    // A row that is scrolled out of the other area is at that area's edge.
    if (elsewhere) y0 = std::clamp(y0, lanes.y0 - static_cast<float>(row.height), lanes.y1);
    // x is clamped far outside the view, where floats lose precision.
    const double far = lanes.width() + 1e4;
    const auto x0 = static_cast<float>(std::round(lanes.x0 + std::clamp(place.x0, -far, far)));
    const auto x1 = static_cast<float>(std::round(lanes.x0 + std::clamp(place.x1, -far, far)));
    return {x0, y0, std::max(x1, x0 + 1), y0 + static_cast<float>(std::round(row.height)), true};
}

void paint_flash(const PaintInput& in, QuadBatch& batch) {
    const Flash& flash = in.timeline.flash;
    if (flash.left <= 0 || flash.slice != in.timeline.selected) return;
    const SliceBox box = slice_box(in.timeline, flash.slice);
    if (!box.visible) return;
    const auto left = static_cast<float>(flash.left / Flash::kSeconds);
    const float line = std::max(2.0f, std::round(2 * in.look.scale));
    const float out = line + std::round(left * kFlashReach * in.look.scale);
    batch.frame(box.x0 - out, box.y0 - out, box.x1 + out, box.y1 + out, line,
                with_alpha(in.look.colors.accent, left));
}

void paint_selection(const PaintInput& in, QuadBatch& batch) {
    paint_flash(in, batch);
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
    const FlowLook look{in.look.colors.accent, 1.6f, 0};
    std::size_t drawn = 0;
    for (const Link& link : links_from(trace, selected)) {
        if (++drawn > kMaxFlows) return;
        paint_flow(in, list, selected, link.to, look);
    }
    for (const uint32_t index : links_to(trace, selected)) {
        if (++drawn > kMaxFlows) return;
        paint_flow(in, list, trace.links[index].from, selected, look);
    }
}

void paint_all_flows(const PaintInput& in, VisibleLinks& found, ImDrawList& list) {
    const Trace& trace = in.timeline.trace();
    find_visible_links(trace, in.items, kMaxAllFlows, found);
    // A few flows may be prominent; many would hide what they connect.
    const float strength = found.links.size() < 60 ? 0.8f : 0.4f;
    const FlowLook launch{with_alpha(in.look.colors.accent, strength), 1, 10};
    const FlowLook other{with_alpha(in.look.colors.mid, strength), 1, 10};
    std::size_t drawn = 0;
    for (const uint32_t index : found.links) {
        const Link& link = trace.links[index];
        drawn += paint_flow(in, list, link.from, link.to,
                            link.kind == LinkKind::launch ? launch : other);
    }
    found.links.resize(drawn);
}

}  // namespace lanescope
