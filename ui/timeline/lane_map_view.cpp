// The lane map at the right edge: all lanes in miniature, with a window on the visible ones. It is
// shown only if some lanes are out of view; a click goes to a lane, and a drag scrolls.
#include "ui/timeline/lane_map_view.h"

#include <algorithm>
#include <cmath>

#include "ui/timeline/lane_painter.h"
#include "ui/timeline/timeline_view.h"

namespace lanescope {

namespace {

constexpr float kEdge = 4;             // free space at each side of the bars
constexpr float kMinBarWidth = 2;      // minimum width of an almost idle row
constexpr float kMinWindowHeight = 8;  // minimum height, so that it can be dragged

}  // namespace

Box lane_map_window(const Timeline& timeline, const Look& look) {
    const Box& map = timeline.areas.lane_map;
    if (map.height() <= 0 || timeline.layout.height <= 0) return {};
    const double scale = map.height() / timeline.layout.height;
    const float height =
        std::max(look.px(kMinWindowHeight),
                 static_cast<float>(std::round(timeline.areas.lanes.height() * scale)));
    const float y0 = std::clamp(map.y0 + static_cast<float>(std::round(timeline.scroll_y * scale)),
                                map.y0, std::max(map.y0, map.y1 - height));
    return {map.x0, y0, map.x1, y0 + height};
}

void TimelineView::drag_lane_map(Timeline& timeline, const Look& look, float moved) {
    const double free = timeline.areas.lane_map.height() - lane_map_window(timeline, look).height();
    const double max_scroll = std::max(0.0, timeline.layout.height - timeline.areas.lanes.height());
    timeline.scroll_y =
        std::clamp(timeline.scroll_y + moved * max_scroll / std::max(1.0, free), 0.0, max_scroll);
}

void LaneMapView::draw(const Timeline& timeline, const Palette& palette, const Look& look,
                       Canvas& canvas) {
    const Box& map = timeline.areas.lane_map;
    if (map.height() <= 0) return;
    const bool same = index_ == timeline.index && layout_ == timeline.layout.fingerprint;
    if (!same) map_ = build_lane_map(*timeline.index, timeline.layout, timeline.index->bulk);
    if (!same || height_ != map.height())
        bars_ = lane_map_bars(map_, timeline.layout,
                              static_cast<uint32_t>(std::max(1.0f, map.height())));
    index_ = timeline.index;
    layout_ = timeline.layout.fingerprint;
    height_ = map.height();

    const Colors& c = look.colors;
    batch_.clear();
    const Box window = lane_map_window(timeline, look);
    batch_.quad_below(map.x0, map.y0, map.x1, map.y1, c.panel);
    batch_.quad_below(window.x0, window.y0, window.x1, window.y1, mixed(c.panel, c.accent, 0.16f));
    const float left = map.x0 + look.px(kEdge);
    const float room = map.width() - 2 * look.px(kEdge);
    for (const LaneMapBar& bar : bars_)
        batch_.quad(left, map.y0 + static_cast<float>(bar.y0),
                    left + std::max(look.px(kMinBarWidth), std::round(room * bar.busy)),
                    map.y0 + static_cast<float>(bar.y1), palette.looks[bar.slot].fill.packed());
    const float line = std::max(1.0f, std::floor(look.scale));
    batch_.frame(window.x0, window.y0, window.x1, window.y1, line, c.accent);
    batch_.quad(map.x0, map.y0, map.x0 + 1, map.y1, c.line);

    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.PushClipRect({map.x0, map.y0}, {map.x1, map.y1}, true);
    canvas.painter().add_to(list, batch_);
    list.PopClipRect();
}

}  // namespace lanescope
