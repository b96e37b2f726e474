#include "ui/timeline/idle_painter.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/format.h"

namespace lanescope {

namespace {

// Narrower spans are not worth showing at this scale.
constexpr double kHatchFrom = 40;
constexpr double kTintFrom = 8;
constexpr std::size_t kMaxSpansInRow = 400;
constexpr float kRoom = 6;  // free space at each side of a label
constexpr float kHatchStep = 8;

struct RowBox {
    float y0, y1;
};

RowBox row_box(const Timeline& timeline, const LayoutRow& row) {
    const auto y0 =
        static_cast<float>(std::round(timeline.areas.lanes.y0 + row.y - timeline.scroll_y));
    return {y0, y0 + static_cast<float>(std::round(row.height))};
}

// In the window; clamped slightly outside the view.
float x_of(const Timeline& timeline, Nanos time) {
    const Viewport& view = timeline.camera.view();
    return timeline.areas.lanes.x0 +
           static_cast<float>(std::round(std::clamp(view.px_of(time), -8.0, view.width + 8)));
}

// A partly shown lane has other rows than the trace's lane.
const IdleRow* row_of(const Timeline& timeline, LaneId lane, uint32_t depth) {
    const ShownLanesPtr& shown = timeline.index->shown;
    if (!shown || !shown->lanes[lane]) return timeline.idle->row(lane, depth);
    if (!timeline.shown_windows || timeline.shown_windows->shown != shown) return nullptr;
    return timeline.shown_windows->row(lane, depth);
}

void find_in_row(const PaintInput& in, const RowItems& items, std::vector<uint32_t>& found,
                 std::vector<ShownIdle>& shown) {
    const Timeline& timeline = in.timeline;
    const LayoutRow& place = timeline.layout.rows[items.row];
    const IdleRow* const row = row_of(timeline, items.lane, place.depth);
    if (!row) return;
    const bool gaps = !row->causes.empty();
    const Viewport& view = timeline.camera.view();
    const double min_length = (gaps ? kTintFrom : kHatchFrom) * in.look.scale * view.nanos_per_px();
    find_spans(*row, view.range(), static_cast<Nanos>(std::ceil(min_length)), kMaxSpansInRow,
               found);
    const RowBox box = row_box(timeline, place);
    for (const uint32_t i : found) {
        ShownIdle idle{items.lane,
                       row->depths.empty() ? place.depth : row->depths[i],
                       row->spans[i],
                       {},
                       {},
                       0,
                       {x_of(timeline, row->spans[i].begin), box.y0,
                        x_of(timeline, row->spans[i].end), box.y1}};
        if (gaps) {
            idle.cause = row->causes[i];
            idle.sides = {{items.lane, row->sides[i].first}, {items.lane, row->sides[i].second}};
            idle.device_idle = row->device_idle[i];
        }
        shown.push_back(idle);
    }
}

IdleLook look_of(const ShownIdle& idle, Theme theme) {
    return idle.cause ? gap_look(theme, *idle.cause) : dead_window_look(theme);
}

}  // namespace

void paint_idle(const PaintInput& in, std::vector<ShownIdle>& shown, QuadBatch& batch) {
    shown.clear();
    if (!in.timeline.idle || !in.timeline.idle_shown) return;
    std::vector<uint32_t> found;
    for (const RowItems& row : in.items.rows)
        if (in.timeline.layout.rows[row.row].kind == RowKind::slices)
            find_in_row(in, row, found, shown);
    batch.set_hatch_step(in.look.px(kHatchStep));
    for (const ShownIdle& idle : shown) {
        const IdleLook look = look_of(idle, in.look.theme);
        const Box& box = idle.box;
        if (idle.cause)
            batch.quad_below(box.x0, box.y0, box.x1, box.y1, look.fill.packed());
        else
            batch.hatch(box.x0, box.y0, box.x1, box.y1, look.line.packed());
    }
}

void label_idle(const PaintInput& in, const std::vector<ShownIdle>& shown, LabelSheet& sheet,
                QuadBatch& batch) {
    const Box& lanes = in.timeline.areas.lanes;
    ImFont* const font = in.look.fonts.regular;
    for (const ShownIdle& idle : shown) {
        if (!has_room_for_text(in.look, idle.box.y1 - idle.box.y0)) continue;
        const float x0 = std::max(idle.box.x0, lanes.x0);
        const float x1 = std::min(idle.box.x1, lanes.x1);
        const float room = x1 - x0 - 2 * in.look.px(kRoom);
        std::string text = format_duration(idle.span.length());
        float width = text_width(in.look, font, type::kTable, text);
        if (width > room) continue;
        if (idle.cause) {
            const std::string longer = text + " · " + std::string(short_cause(*idle.cause));
            const float longer_width = text_width(in.look, font, type::kTable, longer);
            if (longer_width <= room) {
                text = longer;
                width = longer_width;
            }
        }
        const LabelSheet::Place* place = sheet.place(text);
        if (!place) continue;
        const IdleLook look = look_of(idle, in.look.theme);
        batch.label(std::round((x0 + x1 - width) / 2),
                    text_y(in.look, type::kTable, idle.box.y0, idle.box.y1 - idle.box.y0), *place,
                    look.text.packed(), look.fill.packed());
    }
}

void paint_described_gap(const PaintInput& in, QuadBatch& batch, QuadBatch& overlay) {
    const Timeline& timeline = in.timeline;
    if (!timeline.gap) return;
    const float x0 = x_of(timeline, timeline.gap->begin);
    const float x1 = std::max(x_of(timeline, timeline.gap->end), x0 + 1);
    const Color lit =
        mixed(theme_colors(in.look.theme).bg, theme_colors(in.look.theme).waiting, 0.24);
    for (const RowItems& row : in.items.rows) {
        const LayoutRow& place = timeline.layout.rows[row.row];
        const Lane& lane = timeline.trace().lanes[row.lane];
        if (place.kind != RowKind::slices || lane.kind != LaneKind::stream ||
            lane.process != timeline.gap_process)
            continue;
        // Ranges of annotations have rows of their own on a stream; these have no gaps.
        if (timeline.idle && !timeline.idle->row(row.lane, place.depth)) continue;
        const RowBox box = row_box(timeline, place);
        batch.quad_below(x0, box.y0, x1, box.y1, lit.packed());
        overlay.frame(x0, box.y0, x1, box.y1, std::max(1.0f, std::floor(in.look.scale)),
                      in.look.colors.waiting);
    }
}

const ShownIdle* idle_at(const Timeline& timeline, ImVec2 at) {
    const auto found = std::ranges::find_if(
        timeline.shown_idle, [&](const ShownIdle& idle) { return idle.box.holds(at); });
    return found == timeline.shown_idle.end() ? nullptr : &*found;
}

}  // namespace lanescope
