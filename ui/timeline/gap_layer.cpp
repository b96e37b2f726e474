#include "ui/timeline/gap_layer.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/format.h"
#include "ui/timeline/idle_layer.h"
#include "ui/timeline/lane_painter.h"

namespace lanescope {

namespace {

void light_gap(const PaintInput& in, TimeRange gap, uint32_t process, QuadBatch& batch,
               QuadBatch& overlay) {
    const Timeline& timeline = in.timeline;
    const IdleSpans* const idle = timeline.layer<IdleLayer>().spans.get();
    const float x0 = idle_x(timeline, gap.begin);
    const float x1 = std::max(idle_x(timeline, gap.end), x0 + 1);
    const Color lit =
        mixed(theme_colors(in.look.theme).bg, theme_colors(in.look.theme).waiting, 0.24);
    for (const RowItems& row : in.items.rows) {
        const LayoutRow& place = timeline.layout.rows[row.row];
        const Lane& lane = timeline.trace().lanes[row.lane];
        if (place.kind != RowKind::slices || lane.kind != LaneKind::stream ||
            lane.process != process)
            continue;
        // Ranges of annotations have rows of their own on a stream; these have no gaps.
        if (idle && !idle->row(row.lane, place.depth)) continue;
        const RowBox box = row_box(timeline, place);
        batch.quad_below(x0, box.y0, x1, box.y1, lit.packed());
        overlay.frame(x0, box.y0, x1, box.y1, std::max(1.0f, std::floor(in.look.scale)),
                      in.look.colors.waiting);
    }
}

// Draws the edges and the length of the gap; the lanes between them stay visible.
void outline_gap(const Timeline& timeline, TimeRange gap, const Look& look, ImDrawList& list) {
    const Box& lanes = timeline.areas.lanes;
    const Viewport& view = timeline.camera.view();
    const auto edge = [&](Nanos t) {
        return lanes.x0 + static_cast<float>(std::clamp(view.px_of(t), -1.0, view.width + 1));
    };
    const float x0 = std::round(edge(gap.begin));
    const float x1 = std::round(edge(gap.end));
    if (x1 < lanes.x0 || x0 > lanes.x1) return;
    list.PushClipRect({lanes.x0, lanes.y0}, {lanes.x1, lanes.y1}, true);
    for (const float x : {x0, x1})
        list.AddRectFilled({x, lanes.y0}, {x + look.px(1), lanes.y1}, look.colors.waiting);
    const std::string text = "idle " + format_duration(gap.length());
    const float width = text_width(look, look.fonts.medium, type::kTable, text) + look.px(16);
    const float height = look.px(22);
    const float x =
        std::clamp((x0 + x1 - width) / 2, lanes.x0, std::max(lanes.x0, lanes.x1 - width));
    const float y = lanes.y0 + look.px(8);
    list.AddRectFilled({x, y}, {x + width, y + height}, look.colors.raised, look.px(5));
    list.AddRect({x, y}, {x + width, y + height}, look.colors.waiting, look.px(5));
    draw_text(list, look, look.fonts.medium, type::kTable,
              {x + look.px(8), text_y(look, type::kTable, y, height)}, look.colors.hi, text);
    list.PopClipRect();
}

}  // namespace

void GapLayer::paint(LaneStage stage, const PaintInput& in, LaneTarget& to) {
    if (!gap) return;
    if (stage == LaneStage::below_slices) light_gap(in, *gap, process, to.lanes, to.overlay);
    if (stage == LaneStage::above_names && !to.pinned)
        outline_gap(in.timeline, *gap, in.look, to.list);
}

}  // namespace lanescope
