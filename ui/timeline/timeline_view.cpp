// The positions of the timeline's parts, and the order of drawing.
#include "ui/timeline/timeline_view.h"

#include <algorithm>
#include <cmath>

namespace lanescope {

namespace {

constexpr float kOverviewHeight = 58;
constexpr float kRulerHeight = 24;
constexpr float kMinHeadWidth = 90;
constexpr double kDockShare = 0.45;  // of the height, unless the user chooses or there is room
constexpr float kMinDock = 24;
constexpr float kMinMain = 48;  // height that the other lanes keep
constexpr float kSplitter = 7;
constexpr float kLaneMapWidth = 44;
constexpr float kMinLanesWidth = 200;  // narrower areas have no map beside them

// Places the strips of all layers from the top of an area; returns where they end.
float place_strips(const Timeline& timeline, const Look& look, Box area) {
    if (!timeline.index) return area.y0;
    for (const auto& layer : timeline.layers) area.y0 += layer->place(timeline, look, area);
    return area.y0;
}

}  // namespace

void TimelineView::place(Timeline& timeline, const Look& look, double seconds) {
    const ImVec2 from = ImGui::GetCursorScreenPos();
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float x1 = std::floor(from.x + room.x);
    const float y1 = std::floor(from.y + room.y);
    const float head =
        std::min(look.px(std::max(timeline.head_width, kMinHeadWidth)), (x1 - from.x) / 2);
    TimelineAreas& a = timeline.areas;
    a.overview = {from.x, from.y, x1, from.y + look.px(kOverviewHeight)};
    a.ruler = {from.x + head, a.overview.y1, x1, a.overview.y1 + look.px(kRulerHeight)};
    a.strips = {from.x, a.ruler.y1, x1, place_strips(timeline, look, {from.x, a.ruler.y1, x1, y1})};
    a.heads = {from.x, a.strips.y1, from.x + head, y1};
    a.lanes = {from.x + head, a.strips.y1, x1, y1};
    a.splitter = {};

    if (timeline.index &&
        (palette_of_ != timeline.index->classes || palette_.theme != look.theme)) {
        palette_of_ = timeline.index->classes;
        palette_ = build_palette(look.theme, palette_of_->classes);
    }
    timeline.pinned.heads = timeline.pinned.lanes = {};
    if (!timeline.index) return;
    choose_rows(timeline, seconds);
    lay_out(timeline, look, a.lanes.height() - static_cast<double>(look.px(kSplitter)));
    if (!timeline.pinned.layout.rows.empty()) place_dock(timeline, look);
    a.lane_map = {};
    if (timeline.layout.height > a.lanes.height() && a.lanes.width() > look.px(kMinLanesWidth)) {
        a.lane_map = {x1 - std::round(look.px(kLaneMapWidth)), a.lanes.y0, x1, a.lanes.y1};
        a.lanes.x1 = a.ruler.x1 = a.strips.x1 = a.lane_map.x0;
        timeline.pinned.lanes.x1 = std::min(timeline.pinned.lanes.x1, a.lanes.x1);
    }
    timeline.camera.set_width(std::max(1.0f, a.lanes.width()));
    const double max_scroll = std::max(0.0, timeline.layout.height - a.lanes.height());
    timeline.scroll_y = std::clamp(timeline.scroll_y, 0.0, max_scroll);
    timeline.pinned.scroll_y =
        std::clamp(timeline.pinned.scroll_y, 0.0,
                   std::max(0.0, timeline.pinned.layout.height - timeline.pinned.lanes.height()));
}

// As high as the pinned lanes, up to the share that the user or the design allows; more if the
// other lanes leave room.
void TimelineView::place_dock(Timeline& timeline, const Look& look) {
    TimelineAreas& a = timeline.areas;
    const double splitter = static_cast<double>(look.px(kSplitter));
    const double all = a.lanes.height() - splitter;
    const double main = timeline.layout.height;
    const double least = static_cast<double>(look.px(kMinDock));
    double height = timeline.arrangement.dock_height * static_cast<double>(look.scale);
    if (height <= 0)
        height = std::min(timeline.pinned.layout.height, std::max(kDockShare * all, all - main));
    const double most = all - std::min(main, static_cast<double>(look.px(kMinMain)));
    height = std::round(std::clamp(height, std::min(least, most), std::max(least, most)));
    const auto top = static_cast<float>(a.lanes.y1 - height);
    timeline.pinned.heads = {a.heads.x0, top, a.heads.x1, a.heads.y1};
    timeline.pinned.lanes = {a.lanes.x0, top, a.lanes.x1, a.lanes.y1};
    a.heads.y1 = a.lanes.y1 = top - static_cast<float>(splitter);
    a.splitter = {a.heads.x0, a.lanes.y1, a.lanes.x1, top};
}

void TimelineView::draw(Timeline& timeline, const Look& look, Canvas& canvas, Requests& requests,
                        double seconds, HeldKeys held) {
    place(timeline, look, seconds);
    hovered_ = ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
    const TimelineAreas& a = timeline.areas;
    canvas.background({a.heads.x0, a.overview.y0}, {a.overview.x1, a.ruler.y1}, look.colors.panel);
    canvas.background({a.heads.x0, a.ruler.y1}, {a.overview.x1, a.strips.y1}, look.colors.panel);
    const float bottom = std::max(a.heads.y1, timeline.pinned.heads.y1);
    canvas.background({a.heads.x0, a.strips.y1}, {a.heads.x1, bottom}, look.colors.panel);
    if (!timeline.index) {
        moving_ = false;
        return;
    }
    cull_options_.label_pad = 5 * static_cast<double>(look.scale);
    cull_options_.min_label_px = 30 * static_cast<double>(look.scale);
    cull_options_.min_rect_px = canvas.painter().software() ? 3 : 2;
    scroll_to_revealed(timeline);
    hold_keys(timeline, held);
    const bool pinned = drag_.kind == Drag::none
                            ? timeline.pinned.lanes.y0 <= ImGui::GetMousePos().y &&
                                  ImGui::GetMousePos().y < timeline.pinned.lanes.y1
                            : drag_.pinned;
    {
        const PinnedScope scope(timeline, pinned);
        drag_.pinned = pinned;
        take_pointer(timeline, look, requests);
    }
    // A frame after a long sleep must not jump: the camera moves by at most a tenth of a second.
    timeline.camera.step(std::min(seconds, 0.1));
    moving_ = timeline.camera.moving() || rows_.settling();
    for (const auto& layer : timeline.layers)
        if (layer->step(std::min(seconds, 0.1))) moving_ = true;

    draw_overview(timeline, look, canvas);
    draw_ruler(timeline, look);
    for (const auto& layer : timeline.layers) layer->draw_strip(timeline, look, canvas, requests);
    draw_lanes(timeline, look, canvas, main_);
    draw_heads(timeline, look);
    lane_map_.draw(timeline, palette_, look, canvas);
    if (!timeline.pinned.layout.rows.empty()) {
        const PinnedScope scope(timeline, true);
        draw_lanes(timeline, look, canvas, pinned_);
        draw_heads(timeline, look);
    }
    draw_splitter(timeline, look);
    if (timeline.layout.rows.empty() && timeline.pinned.layout.rows.empty())
        draw_empty(timeline, look);
}

// A line over the whole width, with a grip in its middle.
void TimelineView::draw_splitter(const Timeline& timeline, const Look& look) {
    const Box& box = timeline.areas.splitter;
    if (box.height() <= 0) return;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const bool hot = drag_.kind == Drag::dock ||
                     (hovered_ && drag_.kind == Drag::none && box.holds(ImGui::GetIO().MousePos));
    const float right = timeline.areas.overview.x1;
    list.AddRectFilled({box.x0, box.y0}, {right, box.y1}, look.colors.panel);
    list.AddRectFilled({box.x0, box.y0}, {right, box.y0 + 1}, look.colors.line2);
    const float middle = std::round((box.x0 + right) / 2);
    const float y = std::round((box.y0 + box.y1) / 2);
    list.AddRectFilled({middle - look.px(14), y - look.px(1)},
                       {middle + look.px(14), y + look.px(1)},
                       hot ? look.colors.accent : look.colors.low, look.px(1));
}

void TimelineView::draw_empty(const Timeline& timeline, const Look& look) {
    const Box& box = timeline.areas.lanes;
    const char* const text = "No slices, instants or counters in this file yet.";
    const float width = text_width(look, look.fonts.regular, type::kText, text);
    draw_text(*ImGui::GetWindowDrawList(), look, look.fonts.regular, type::kText,
              {std::round((box.x0 + box.x1 - width) / 2), std::round((box.y0 + box.y1) / 2)},
              look.colors.low, text);
}

}  // namespace lanescope
