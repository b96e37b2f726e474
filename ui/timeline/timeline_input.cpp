// The pointer, the wheel and held keys on the timeline.
#include <algorithm>
#include <cmath>

#include "ui/timeline/timeline_view.h"

namespace lanescope {

namespace {

constexpr float kDragThreshold = 4;  // maximum movement of a click, in pixels
constexpr float kGrip = 5;           // distance to an edge that can be dragged
// Fraction of the content beyond which the overview's window shows everything.
constexpr double kWholeViewPart = 0.999;

bool is_over_time(const TimelineAreas& areas, ImVec2 point) {
    return areas.lanes.holds(point) || areas.ruler.holds(point) ||
           (areas.strips.holds(point) && point.x >= areas.lanes.x0);
}

// The slice that a layer shows at a point.
SliceRef slice_of_layer(const Timeline& timeline, const Look& look, ImVec2 at) {
    for (const auto& layer : timeline.layers)
        if (const SliceRef slice = layer->slice_at(timeline, look, at)) return slice;
    return {};
}

bool press_layer(Timeline& timeline, const LayerClick& click) {
    return std::ranges::any_of(timeline.layers,
                               [&](const auto& layer) { return layer->press(timeline, click); });
}

}  // namespace

void TimelineView::hold_keys(Timeline& timeline, HeldKeys held) {
    const Box& lanes = timeline.areas.lanes;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const bool inside = mouse.x >= lanes.x0 && mouse.x < lanes.x1;
    held.anchor_px = inside ? mouse.x - lanes.x0 : lanes.width() / 2;
    timeline.camera.hold(held);
}

void TimelineView::take_wheel(Timeline& timeline, const Look& look) {
    const ImGuiIO& io = ImGui::GetIO();
    const TimelineAreas& a = timeline.areas;
    const bool over_time = is_over_time(a, io.MousePos);
    const WheelMove move = wheel_move({static_cast<double>(io.MouseWheelH),
                                       static_cast<double>(io.MouseWheel), io.KeyCtrl, io.KeyShift},
                                      timeline.wheel);
    const auto scale = static_cast<double>(look.scale);
    if (over_time && move.zoom != 1)
        timeline.camera.zoom(move.zoom, static_cast<double>(io.MousePos.x - a.lanes.x0));
    if (over_time && move.pan != 0) timeline.camera.pan(move.pan * scale);
    const bool over_lanes =
        a.lanes.holds(io.MousePos) || a.heads.holds(io.MousePos) || a.lane_map.holds(io.MousePos);
    if (over_lanes && move.scroll != 0) {
        const double max_scroll = std::max(0.0, timeline.layout.height - a.lanes.height());
        timeline.scroll_y = std::clamp(timeline.scroll_y + move.scroll * scale, 0.0, max_scroll);
    }
}

void TimelineView::take_pointer(Timeline& timeline, const Look& look, Requests& requests) {
    const ImGuiIO& io = ImGui::GetIO();
    const TimelineAreas& a = timeline.areas;
    timeline.pointer_inside = hovered_ && is_over_time(a, io.MousePos);
    timeline.hovered = {};
    if (hovered_) take_wheel(timeline, look);
    point_at_heads(timeline, look);
    if (hovered_ && a.lanes.holds(io.MousePos) && drag_.kind == Drag::none) {
        timeline.hovered = pick(
            *timeline.index, timeline.layout, timeline.camera.view(), io.MousePos.x - a.lanes.x0,
            io.MousePos.y - a.lanes.y0 + timeline.scroll_y, cull_options_, 2 * look.scale);
    }
    if (hovered_ && drag_.kind == Drag::none) {
        if (const SliceRef slice = slice_of_layer(timeline, look, io.MousePos)) {
            timeline.hovered.kind = HitKind::slice;
            timeline.hovered.slice = slice;
        }
    }
    if (drag_.kind == Drag::none) {
        if (hovered_) begin_drag(timeline, look, requests);
    } else {
        continue_drag(timeline, look);
    }
    const bool any_down = ImGui::IsMouseDown(0) || ImGui::IsMouseDown(1) || ImGui::IsMouseDown(2);
    if (drag_.kind != Drag::none && !any_down) end_drag(timeline, look, requests);
}

void TimelineView::begin_drag(Timeline& timeline, const Look& look, Requests& requests) {
    const ImGuiIO& io = ImGui::GetIO();
    const TimelineAreas& a = timeline.areas;
    const ImVec2 mouse = io.MousePos;
    const float grip = kGrip * look.scale;
    // The grip is on the heads' side: on the other side, slices are clicked.
    const bool on_head_edge =
        mouse.x > a.heads.x1 - grip && mouse.x < a.heads.x1 + 2 && mouse.y >= a.ruler.y0;
    const Box strip{a.lanes.x0, a.overview.y0, a.overview.x1, a.overview.y1};
    const TimeRange all = timeline.overview.range;
    const auto x_of = [&](Nanos t) {
        const double part = static_cast<double>(t - all.begin) /
                            static_cast<double>(std::max<Nanos>(1, all.length()));
        return strip.x0 + static_cast<float>(part) * strip.width();
    };
    const TimeRange window = timeline.camera.view().range();
    const bool over_strip = strip.holds(mouse);
    const bool on_left = over_strip && std::abs(mouse.x - x_of(window.begin)) < grip;
    const bool on_right = over_strip && std::abs(mouse.x - x_of(window.end)) < grip;
    const bool on_splitter = a.splitter.holds(mouse);
    if (on_splitter) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
    if (on_head_edge || on_left || on_right) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);

    const bool left = ImGui::IsMouseClicked(0);
    const bool other = ImGui::IsMouseClicked(1) || ImGui::IsMouseClicked(2);
    if (!left && !other) return;
    drag_.from = mouse;
    drag_.button = left ? 0 : ImGui::IsMouseClicked(1) ? 1 : 2;
    drag_.moved = false;
    drag_.window = window;
    if (left && on_splitter) {
        drag_.kind = Drag::dock;
        drag_.height_at_first = static_cast<double>(timeline.pinned.lanes.height());
    } else if (left && on_head_edge) {
        drag_.kind = Drag::head_width;
    } else if (begin_head_drag(timeline, look, requests)) {
        return;
    } else if (left && a.lane_map.holds(mouse)) {
        drag_.kind = Drag::scroll;
        // A press beside the window centres it there; it can then be dragged further.
        if (!lane_map_window(timeline, look).holds(mouse))
            timeline.scroll_y = lane_map_scroll(timeline.layout, a.lane_map.height(),
                                                mouse.y - a.lane_map.y0, a.lanes.height());
    } else if (left && press_layer(timeline, {mouse, false, look, requests})) {
        return;
    } else if (over_strip) {
        const bool inside = mouse.x > x_of(window.begin) && mouse.x < x_of(window.end);
        const bool whole =
            timeline.camera.view().span > kWholeViewPart * static_cast<double>(all.length());
        drag_.kind = on_left            ? Drag::overview_left
                     : on_right         ? Drag::overview_right
                     : inside && !whole ? Drag::overview_move
                                        : Drag::overview_new;
    } else if (is_over_time(a, mouse)) {
        drag_.kind = other || io.KeyShift ? Drag::pan : Drag::mark;
        drag_.time = timeline.camera.view().time_at(mouse.x - a.lanes.x0);
        drag_.y.reset();
        if (a.lanes.holds(mouse)) drag_.y = mouse.y - a.lanes.y0 + timeline.scroll_y;
    }
}

void TimelineView::drag_overview(Timeline& timeline, float x) {
    const Box& strip_box = timeline.areas.overview;
    const float left = timeline.areas.lanes.x0;
    const TimeRange all = timeline.overview.range;
    const double nanos_per_px =
        static_cast<double>(all.length()) / std::max(1.0f, strip_box.x1 - left);
    const auto time_of = [&](float at) {
        return all.begin +
               static_cast<Nanos>(std::clamp(at - left, 0.0f, strip_box.x1 - left) * nanos_per_px);
    };
    const auto moved = static_cast<Nanos>((x - drag_.from.x) * nanos_per_px);
    TimeRange window = drag_.window;
    switch (drag_.kind) {
        case Drag::overview_move:
            window = {window.begin + moved, window.end + moved};
            break;
        case Drag::overview_left:
            window.begin = time_of(x);
            break;
        case Drag::overview_right:
            window.end = time_of(x);
            break;
        default:
            window = {time_of(drag_.from.x), time_of(x)};
            break;
    }
    if (window.begin > window.end) std::swap(window.begin, window.end);
    if (window.length() < 1) return;
    Viewport view = framed(timeline.camera.view(), window, 0);
    timeline.camera.go_to(clamped(view, all));
}

// A drag over lanes marks a range of the lanes between its ends, a drag along the ruler a range of
// all lanes. It may end in the other area: among the pinned lanes, or above them.
std::vector<LaneId> TimelineView::dragged_lanes(const Timeline& timeline) const {
    if (!drag_.y) return {};
    const float mouse = ImGui::GetIO().MousePos.y;
    const auto y_in = [&](const Box& lanes, double scroll_y) {
        return std::clamp(mouse, lanes.y0, lanes.y1 - 1) - lanes.y0 + scroll_y;
    };
    const auto between = [&](const LaneLayout& layout, double y0, double y1) {
        return lanes_between(timeline.trace(), timeline.arrangement, layout, y0, y1);
    };
    std::vector<LaneId> lanes =
        between(timeline.layout, *drag_.y, y_in(timeline.areas.lanes, timeline.scroll_y));
    const PinnedLanes& other = timeline.pinned;
    const bool reached = drag_.pinned ? mouse < other.lanes.y1 : mouse >= other.lanes.y0;
    if (!reached || other.lanes.height() <= 0) return lanes;
    const double edge = other.scroll_y + (drag_.pinned ? other.lanes.height() - 1 : 0);
    const std::vector<LaneId> more = between(other.layout, edge, y_in(other.lanes, other.scroll_y));
    lanes.insert(lanes.end(), more.begin(), more.end());
    std::ranges::sort(lanes);
    return lanes;
}

void TimelineView::continue_drag(Timeline& timeline, const Look& look) {
    const ImGuiIO& io = ImGui::GetIO();
    const ImVec2 moved{io.MousePos.x - drag_.from.x, io.MousePos.y - drag_.from.y};
    if (std::abs(moved.x) > kDragThreshold || std::abs(moved.y) > kDragThreshold)
        drag_.moved = true;
    if (!drag_.moved) return;
    switch (drag_.kind) {
        case Drag::pan: {
            timeline.camera.drag(-static_cast<double>(io.MouseDelta.x));
            const double max_scroll =
                std::max(0.0, timeline.layout.height - timeline.areas.lanes.height());
            timeline.scroll_y = std::clamp(timeline.scroll_y - static_cast<double>(io.MouseDelta.y),
                                           0.0, max_scroll);
            ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
            break;
        }
        case Drag::mark: {
            const Box& lanes = timeline.areas.lanes;
            const Nanos now = timeline.camera.view().time_at(
                std::clamp(io.MousePos.x, lanes.x0, lanes.x1) - lanes.x0);
            const TimeRange range{std::min(drag_.time, now), std::max(drag_.time, now)};
            if (range.length() > 0) mark_range(timeline, range, dragged_lanes(timeline));
            break;
        }
        case Drag::scroll:
            drag_lane_map(timeline, look, io.MouseDelta.y);
            break;
        case Drag::dock:
            ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
            timeline.arrangement.dock_height =
                std::max(1.0, (drag_.height_at_first - static_cast<double>(moved.y)) / look.scale);
            break;
        case Drag::head:
            drag_head(timeline, look);
            break;
        case Drag::lane_height:
            drag_lane_height(timeline);
            break;
        case Drag::head_width:
            resize_heads(timeline,
                         io.MouseDelta.x / static_cast<float>(std::max(laid_out_.scale, 0.1)));
            ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
            break;
        default:
            drag_overview(timeline, io.MousePos.x);
            break;
    }
}

void TimelineView::end_drag(Timeline& timeline, const Look& look, Requests& requests) {
    const Drag ended = drag_.kind;
    drag_.kind = Drag::none;
    if (ended == Drag::head || ended == Drag::lane_height) {
        if (drag_.moved)
            end_head_drag(timeline);
        else
            click_head(timeline, requests);
        drag_.drop.reset();
        return;
    }
    if (ended == Drag::dock) {
        if (!drag_.moved && ImGui::GetIO().MouseClickedLastCount[0] == 2)
            timeline.arrangement.dock_height = 0;
        return;
    }
    if (drag_.moved) {
        if (ended == Drag::mark && timeline.marked) requests.add(Describe{Described::range});
        return;
    }
    const bool twice =
        ImGui::GetMouseClickedCount(0) == 2 || ImGui::GetIO().MouseClickedLastCount[0] == 2;
    if (ended == Drag::mark || ended == Drag::pan) click(timeline, look, requests, twice);
    if (ended == Drag::overview_new) {
        // A click beside the window centres the window there.
        const TimeRange all = timeline.overview.range;
        const float left = timeline.areas.lanes.x0;
        const double part =
            (drag_.from.x - left) / std::max(1.0f, timeline.areas.overview.x1 - left);
        const Nanos middle =
            all.begin + static_cast<Nanos>(part * static_cast<double>(all.length()));
        const Viewport& view = timeline.camera.target();
        timeline.camera.pan(view.px_of(middle) - view.width / 2);
    }
}

void TimelineView::click(Timeline& timeline, const Look& look, Requests& requests, bool twice) {
    const Box& lanes = timeline.areas.lanes;
    const LayerClick at{drag_.from, twice, look, requests};
    for (const auto& layer : timeline.layers) layer->click(timeline, at);
    if (!lanes.holds(drag_.from)) return;
    const Hit hit =
        pick(*timeline.index, timeline.layout, timeline.camera.view(), drag_.from.x - lanes.x0,
             drag_.from.y - lanes.y0 + timeline.scroll_y, cull_options_);
    if (hit.kind == HitKind::slice || hit.kind == HitKind::run) {
        timeline.selected = hit.slice;
        requests.add(Describe{Described::selection});
        if (twice && drag_.button == 0) requests.add(ZoomToSlice{hit.slice});
        if (drag_.button == 1) requests.add(OpenSliceMenu{});
    } else if (hit.kind == HitKind::more) {
        show_quiet_lanes(timeline, timeline.layout.groups[hit.group].key);
    } else if (hit.kind != HitKind::group_head) {
        timeline.selected = {};
        timeline.marked.reset();
    }
}

}  // namespace lanescope
