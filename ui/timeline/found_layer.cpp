#include "ui/timeline/found_layer.h"

#include <algorithm>
#include <cmath>

#include "ui/timeline/slice_filter.h"

namespace lanescope {

namespace {

void frame_found(const PaintInput& in, const Found& found, const RowItems& row, RowBox place,
                 QuadBatch& batch) {
    const float left = in.timeline.areas.lanes.x0;
    const float line = std::max(1.0f, std::round(in.look.scale));
    const LaneMatches& lane = found.matches.lanes[row.lane];
    for (uint32_t i = row.rect_begin; i < row.rect_end; ++i) {
        const RectItem& rect = in.items.rects[i];
        if (!lane.test(rect.slice)) continue;
        const float x0 = left + std::round(rect.x0);
        batch.frame(x0, place.y0, std::max(left + std::round(rect.x1), x0 + 2), place.y1, line,
                    in.look.colors.hi);
    }
}

void mark_found(const PaintInput& in, const Found& found, QuadBatch& batch) {
    const Timeline& timeline = in.timeline;
    const MarkScale scale = scale_of(timeline.camera.view());
    const float left = timeline.areas.lanes.x0;
    const float height = in.look.px(3);
    for (const RowItems& row : in.items.rows) {
        if (found.matches.lanes[row.lane].count == 0) continue;
        if (timeline.layout.rows[row.row].kind != RowKind::slices) continue;
        const RowBox place = row_box(in.timeline, in.timeline.layout.rows[row.row]);
        frame_found(in, found, row, place, batch);
        // Neighbouring columns form one quad.
        int from = -1;
        int to = -1;
        const auto finish = [&] {
            if (from >= 0)
                batch.quad(left + static_cast<float>(from), place.y0, left + static_cast<float>(to),
                           place.y0 + height, in.look.colors.hi);
        };
        marked_columns(in, found, row, scale, [&](int column) {
            if (column != to) {
                finish();
                from = column;
            }
            to = column + 1;
        });
        finish();
    }
}

}  // namespace

void FoundLayer::paint(LaneStage stage, const PaintInput& in, LaneTarget& to) {
    if (stage == LaneStage::above_slices && found) mark_found(in, *found, to.overlay);
}

void FoundLayer::paint_overview(const Timeline& timeline, const Look& look, QuadBatch& batch) {
    if (!found) return;
    const std::vector<uint8_t>& marks = found->overview;
    const Box& box = timeline.areas.overview;
    const float left = timeline.areas.lanes.x0;
    const float per_part = (box.x1 - left) / static_cast<float>(marks.size());
    const float width = std::max(1.0f, std::floor(look.scale));
    float last = -1;
    for (std::size_t part = 0; part < marks.size(); ++part) {
        if (!marks[part]) continue;
        const float x = std::floor(left + static_cast<float>(part) * per_part);
        if (x == last) continue;
        last = x;
        batch.quad(x, box.y0 + 1, x + width, box.y0 + look.px(6), look.colors.accent);
    }
}

}  // namespace lanescope
