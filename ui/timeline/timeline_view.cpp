// The positions of the timeline's parts, and the order of drawing.
#include <algorithm>
#include <cmath>

#include "ui/timeline/timeline.h"

namespace lanescope {

namespace {

constexpr float kOverviewHeight = 58;
constexpr float kRulerHeight = 24;
constexpr float kMinHeadWidth = 90;
constexpr float kMaxPinnedShare = 0.5f;  // share of the height
constexpr float kPinnedGap = 3;          // below the pinned lanes
constexpr float kLaneMapWidth = 44;
constexpr float kMinLanesWidth = 200;  // narrower areas have no map beside them

}  // namespace

void TimelineView::place(Timeline& timeline, const Look& look) {
    const ImVec2 from = ImGui::GetCursorScreenPos();
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float x1 = std::floor(from.x + room.x);
    const float y1 = std::floor(from.y + room.y);
    const float head =
        std::min(look.px(std::max(timeline.head_width, kMinHeadWidth)), (x1 - from.x) / 2);
    TimelineAreas& a = timeline.areas;
    a.overview = {from.x, from.y, x1, from.y + look.px(kOverviewHeight)};
    a.ruler = {from.x + head, a.overview.y1, x1, a.overview.y1 + look.px(kRulerHeight)};
    a.heads = {from.x, a.ruler.y1, from.x + head, y1};
    a.lanes = {from.x + head, a.ruler.y1, x1, y1};

    if (timeline.index &&
        (palette_of_ != timeline.index->classes || palette_.theme != look.theme)) {
        palette_of_ = timeline.index->classes;
        palette_ = build_palette(look.theme, palette_of_->classes);
    }
    timeline.pinned.heads = timeline.pinned.lanes = {};
    if (!timeline.index) return;
    lay_out(timeline, look);
    const double pinned = std::round(
        std::min(timeline.pinned.layout.height, a.lanes.height() * double{kMaxPinnedShare}));
    if (!timeline.pinned.layout.rows.empty()) {
        const auto bottom = static_cast<float>(a.lanes.y0 + pinned);
        timeline.pinned.heads = {a.heads.x0, a.heads.y0, a.heads.x1, bottom};
        timeline.pinned.lanes = {a.lanes.x0, a.lanes.y0, a.lanes.x1, bottom};
        a.heads.y0 = a.lanes.y0 = bottom + look.px(kPinnedGap);
    }
    a.lane_map = {};
    if (timeline.layout.height > a.lanes.height() && a.lanes.width() > look.px(kMinLanesWidth)) {
        a.lane_map = {x1 - std::round(look.px(kLaneMapWidth)), a.lanes.y0, x1, a.lanes.y1};
        a.lanes.x1 = a.ruler.x1 = a.lane_map.x0;
        timeline.pinned.lanes.x1 = std::min(timeline.pinned.lanes.x1, a.lanes.x1);
    }
    timeline.camera.set_width(std::max(1.0f, a.lanes.width()));
    const double max_scroll = std::max(0.0, timeline.layout.height - a.lanes.height());
    timeline.scroll_y = std::clamp(timeline.scroll_y, 0.0, max_scroll);
    timeline.pinned.scroll_y =
        std::clamp(timeline.pinned.scroll_y, 0.0,
                   std::max(0.0, timeline.pinned.layout.height - timeline.pinned.lanes.height()));
}

void TimelineView::lay_out(Timeline& timeline, const Look& look) {
    if (laid_out_ == timeline.index.get() && measured_scale_ == look.scale &&
        !timeline.layout.rows.empty() && laid_out_arrangement_ == timeline.arrangement)
        return;
    const Measures measures = scaled(Measures{}, look.scale);
    const ShownLanesPtr& shown = timeline.index->shown;
    timeline.layout = build_layout(timeline.trace(), timeline.arrangement, measures, shown);
    timeline.pinned.layout =
        build_pinned_layout(timeline.trace(), timeline.arrangement, measures, shown);
    laid_out_ = timeline.index.get();
    laid_out_arrangement_ = timeline.arrangement;
    measured_scale_ = look.scale;
}

void TimelineView::draw(Timeline& timeline, const Look& look, Canvas& canvas, Requests& requests,
                        double seconds, HeldKeys held) {
    place(timeline, look);
    hovered_ = ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
    const TimelineAreas& a = timeline.areas;
    canvas.background({a.heads.x0, a.overview.y0}, {a.overview.x1, a.ruler.y1}, look.colors.panel);
    canvas.background({a.heads.x0, a.ruler.y1}, {a.heads.x1, a.heads.y1}, look.colors.panel);
    if (!timeline.index) {
        moving_ = false;
        return;
    }
    cull_options_.label_pad = 5 * static_cast<double>(look.scale);
    cull_options_.min_label_px = 30 * static_cast<double>(look.scale);
    cull_options_.min_rect_px = canvas.painter().software() ? 3 : 2;
    scroll_to_revealed(timeline);
    hold_keys(timeline, held);
    const bool pinned = drag_ == Drag::none ? timeline.pinned.lanes.y1 > ImGui::GetMousePos().y &&
                                                  ImGui::GetMousePos().y >= a.ruler.y1
                                            : drag_pinned_;
    {
        const PinnedScope scope(timeline, pinned);
        drag_pinned_ = pinned;
        take_pointer(timeline, look, requests);
    }
    // A frame after a long sleep must not jump: the camera moves by at most a tenth of a second.
    timeline.camera.step(std::min(seconds, 0.1));
    timeline.flash.left = std::max(0.0, timeline.flash.left - std::min(seconds, 0.1));
    moving_ = timeline.camera.moving() || timeline.flash.left > 0;

    draw_overview(timeline, look, canvas);
    draw_ruler(timeline, look);
    timeline.shown_idle.clear();
    timeline.flows = {};
    draw_lanes(timeline, look, canvas, main_layer_);
    draw_heads(timeline, look);
    draw_lane_map(timeline, look, canvas);
    if (!timeline.pinned.layout.rows.empty()) {
        const PinnedScope scope(timeline, true);
        draw_lanes(timeline, look, canvas, pinned_layer_);
        draw_heads(timeline, look);
        const Box& heads = timeline.areas.heads;
        ImGui::GetWindowDrawList()->AddRectFilled({heads.x0, heads.y1},
                                                  {a.overview.x1, heads.y1 + look.px(kPinnedGap)},
                                                  look.colors.line2);
    }
    if (timeline.layout.rows.empty()) draw_empty(timeline, look);
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
