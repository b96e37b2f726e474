#include "ui/timeline/lane_painter.h"

#include <algorithm>
#include <cmath>

#include "core/trace/short_name.h"
#include "ui/timeline/slice_filter.h"

namespace lanescope {

namespace {

constexpr float kGapFrom = 4;  // pixels; a slice at least this wide leaves one free before the next
constexpr float kDerivedFrom = 6;  // pixels; narrower slices have no room for lines
constexpr float kDerivedStrength = 0.3f;
constexpr float kCurveLabel = 14;
constexpr float kRoundFrom = 6;  // pixels; narrower slices have square corners

// Hatched: the slice is not in the file.
void push_derived_slice(QuadBatch& batch, float x0, RowBox box, float x1, const RectShade& shade,
                        ImU32 lines, float pixel) {
    batch.quad_below(x0, box.y0, x1, box.y1, shade.fill);
    batch.hatch(x0, box.y0, x1, box.y1, lines);
    batch.frame(x0, box.y0, x1, box.y1, pixel, shade.edge);
}

void paint_slices(const PaintInput& in, const RowItems& row, RowBox box, QuadBatch& batch) {
    const float left = in.timeline.areas.lanes.x0;
    const bool derived = in.timeline.trace().lanes[row.lane].derived;
    for (uint32_t i = row.run_begin; i < row.run_end; ++i) {
        const RunItem& run = in.items.runs[i];
        batch.strip(left + static_cast<float>(run.x0), box.y0, left + static_cast<float>(run.x1),
                    box.y1, row.strip);
    }
    const float pixel = std::max(1.0f, std::floor(in.look.scale));
    for (uint32_t i = row.rect_begin; i < row.rect_end; ++i) {
        const RectItem& rect = in.items.rects[i];
        const float x0 = std::round(rect.x0);
        float x1 = std::round(rect.x1);
        if (x1 - x0 >= kGapFrom * pixel) x1 -= pixel;
        const RectShade shade = shade_of(in, row, rect);
        if (!shade.shown) continue;
        if (derived && x1 - x0 >= kDerivedFrom * pixel)
            push_derived_slice(batch, left + x0, box, left + x1, shade,
                               mixed(shade.fill, in.look.colors.bg, kDerivedStrength), pixel);
        else
            push_slice(batch, left + x0, box.y0, left + std::max(x1, x0 + 1), box.y1, shade.fill,
                       shade.edge, pixel);
    }
}

void paint_instants(const PaintInput& in, const RowItems& row, RowBox box, QuadBatch& batch) {
    const float left = in.timeline.areas.lanes.x0;
    const float half = in.look.px(3);
    for (uint32_t i = row.tick_begin; i < row.tick_end; ++i) {
        const TickItem& tick = in.items.ticks[i];
        const ImU32 color = in.palette.looks[tick.slot].mark.packed();
        const float x = left + std::floor(tick.x);
        // A small wedge that becomes narrower line by line.
        for (int line = 0; line <= static_cast<int>(half); ++line) {
            const auto step = static_cast<float>(line);
            const float y = box.y0 + step;
            batch.quad(x - half + step, y, x + half - step + 1, y + 1, color);
        }
        batch.quad(x, box.y0 + half, x + 1, box.y1, color);
    }
}

void paint_curve(const PaintInput& in, const RowItems& row, RowBox box, QuadBatch& batch) {
    const auto mark = in.look.colors.mark[static_cast<std::size_t>(EventClass::runtime)];
    const ImU32 area = mixed(in.look.colors.bg, mark, 0.22f);
    const float left = in.timeline.areas.lanes.x0;
    // The topmost part is for the label.
    const float height = box.y1 - box.y0 - in.look.px(kCurveLabel);
    const float line = std::max(1.0f, std::floor(in.look.scale));
    const auto y_of = [&](float value) {
        return std::round(box.y1 - line - value * (height - line));
    };
    for (uint32_t i = row.point_begin; i < row.point_end; ++i) {
        const CurvePoint& point = in.items.points[i];
        const bool last = i + 1 == row.point_end;
        const float x0 = left + std::floor(point.x);
        const float x1 =
            last ? in.timeline.areas.lanes.x1 : left + std::floor(in.items.points[i + 1].x);
        const float y = y_of(point.last);
        if (x1 > x0) {
            batch.quad(x0, y, x1, box.y1, area);
            batch.quad(x0, y, x1, y + line, mark);
        }
        float top = y_of(point.max);
        float bottom = y_of(point.min) + line;
        if (i > row.point_begin) {
            const float before = y_of(in.items.points[i - 1].last);
            top = std::min(top, before);
            bottom = std::max(bottom, before + line);
        }
        if (bottom - top > line) batch.quad(x0, top, x0 + line, bottom, mark);
    }
}

}  // namespace

RowBox row_box(const Timeline& timeline, const LayoutRow& row) {
    const auto y0 =
        static_cast<float>(std::round(timeline.areas.lanes.y0 + row.y - timeline.scroll_y));
    return {y0, y0 + static_cast<float>(std::round(row.height))};
}

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

void push_slice(QuadBatch& batch, float x0, float y0, float x1, float y1, ImU32 fill, ImU32 edge,
                float pixel) {
    if (x1 - x0 < kRoundFrom * pixel) {
        batch.quad(x0, y0, x1, y1, edge);
        if (edge != fill && x1 - x0 > 2 * pixel)
            batch.quad(x0 + pixel, y0 + pixel, x1 - pixel, y1 - pixel, fill);
        return;
    }
    batch.quad(x0 + pixel, y0, x1 - pixel, y0 + pixel, edge);
    batch.quad(x0, y0 + pixel, x1, y1 - pixel, edge);
    batch.quad(x0 + pixel, y1 - pixel, x1 - pixel, y1, edge);
    if (edge != fill) batch.quad(x0 + pixel, y0 + pixel, x1 - pixel, y1 - pixel, fill);
}

void paint_rows(const PaintInput& in, QuadBatch& batch) {
    batch.reserve(in.items.rects.size() * 4 + in.items.points.size() * 3 +
                  in.items.ticks.size() * 5);
    const StripImage& strips = in.items.strips;
    batch.set_sheet({in.strips ? in.strips : strips.texels.data(), strips.width, strips.height,
                     in.timeline.areas.lanes.x0});
    for (const RowItems& row : in.items.rows) {
        const LayoutRow& place = in.timeline.layout.rows[row.row];
        const RowBox box = row_box(in.timeline, place);
        switch (place.kind) {
            case RowKind::slices:
                paint_slices(in, row, box, batch);
                break;
            case RowKind::instants:
                paint_instants(in, row, box, batch);
                break;
            case RowKind::counter:
                paint_curve(in, row, box, batch);
                break;
            case RowKind::group_head:
            case RowKind::more:
                break;
        }
    }
}

bool has_room_for_text(const Look& look, float height) {
    return height >= look.px(type::kTable);
}

void paint_labels(const PaintInput& in, LabelSheet& sheet, QuadBatch& batch, ImDrawList& list) {
    const float left = in.timeline.areas.lanes.x0;
    ImFont* const font = in.look.fonts.regular;
    sheet.begin(in.look, font, type::kTable);
    batch.set_label_sheet(sheet);
    std::string shown;
    std::string outer;
    for (const RowItems& row : in.items.rows) {
        if (row.label_begin == row.label_end) continue;
        const LayoutRow& laid_out = in.timeline.layout.rows[row.row];
        const RowBox box = row_box(in.timeline, laid_out);
        if (!has_room_for_text(in.look, box.y1 - box.y0)) continue;
        const float y = text_y(in.look, type::kTable, box.y0, box.y1 - box.y0);
        for (uint32_t i = row.label_begin; i < row.label_end; ++i) {
            const LabelItem& label = in.items.labels[i];
            const RectItem& rect = in.items.rects[label.rect];
            std::string_view text = short_name(in.timeline.trace(), {row.lane, rect.slice});
            if (laid_out.outer > 0) text = outer = slice_label(laid_out, text);
            const CutText cut = cut_text(in.look, font, type::kTable, text, label.width);
            if (cut.bytes == 0) continue;
            shown.assign(text.substr(0, cut.bytes));
            if (cut.ellipsis > 0) shown += kEllipsis;
            const RectShade shade = shade_of(in, row, rect);
            if (!shade.shown) continue;
            const float x = std::round(left + label.x);
            if (const LabelSheet::Place* place = sheet.place(shown))
                batch.label(x, y, *place, shade.text, shade.fill);
            else
                draw_text(list, in.look, font, type::kTable, {x, y}, shade.text, shown);
        }
    }
}

}  // namespace lanescope
