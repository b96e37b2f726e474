// Where the parts of the timeline stand, and in which order they are drawn.
#include <algorithm>
#include <cmath>

#include "ui/timeline/timeline.h"

namespace lanescope {

namespace {

constexpr float kOverviewHeight = 58;
constexpr float kRulerHeight = 24;
constexpr float kLeastHeadWidth = 90;

bool same_folds(const FoldState& a, const FoldState& b) {
    return a.processes == b.processes && a.lanes == b.lanes;
}

}  // namespace

void TimelineView::place(Timeline& timeline, const Look& look) {
    const ImVec2 from = ImGui::GetCursorScreenPos();
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float x1 = std::floor(from.x + room.x);
    const float y1 = std::floor(from.y + room.y);
    const float head =
        std::min(look.px(std::max(timeline.head_width, kLeastHeadWidth)), (x1 - from.x) / 2);
    TimelineAreas& a = timeline.areas;
    a.overview = {from.x, from.y, x1, from.y + look.px(kOverviewHeight)};
    a.ruler = {from.x + head, a.overview.y1, x1, a.overview.y1 + look.px(kRulerHeight)};
    a.heads = {from.x, a.ruler.y1, from.x + head, y1};
    a.lanes = {from.x + head, a.ruler.y1, x1, y1};

    if (!palette_ready_ || palette_.theme != look.theme) {
        palette_ = build_palette(look.theme, ColorMode::category);
        palette_ready_ = true;
    }
    if (!timeline.index) return;
    timeline.camera.set_width(std::max(1.0f, a.lanes.width()));
    if (laid_out_ != timeline.index.get() || measured_scale_ != look.scale ||
        timeline.layout.rows.empty() || !same_folds(laid_out_folds_, timeline.folded)) {
        timeline.layout =
            build_layout(timeline.trace(), timeline.folded, scaled(Measures{}, look.scale));
        laid_out_ = timeline.index.get();
        laid_out_folds_ = timeline.folded;
        measured_scale_ = look.scale;
    }
    const double most = std::max(0.0, timeline.layout.height - a.lanes.height());
    timeline.scroll_y = std::clamp(timeline.scroll_y, 0.0, most);
}

void TimelineView::draw(Timeline& timeline, const Look& look, Canvas& canvas, Requests& requests,
                        double seconds, HeldKeys held) {
    place(timeline, look);
    hovered_ = ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
    const TimelineAreas& a = timeline.areas;
    canvas.background({a.heads.x0, a.overview.y0}, {a.overview.x1, a.ruler.y1}, look.colors.panel);
    canvas.background({a.heads.x0, a.heads.y0}, {a.heads.x1, a.heads.y1}, look.colors.panel);
    if (!timeline.index) {
        moving_ = false;
        return;
    }
    cull_options_.label_pad = 5 * static_cast<double>(look.scale);
    cull_options_.min_label_px = 30 * static_cast<double>(look.scale);
    cull_options_.min_rect_px = canvas.painter().software() ? 3 : 2;
    hold_keys(timeline, held);
    take_pointer(timeline, look, requests);
    // A frame after a long sleep must not jump: the camera moves by at most a tenth of a second.
    timeline.camera.step(std::min(seconds, 0.1));
    moving_ = timeline.camera.moving();

    draw_overview(timeline, look, canvas);
    draw_ruler(timeline, look);
    draw_lanes(timeline, look, canvas);
    draw_heads(timeline, look);
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
