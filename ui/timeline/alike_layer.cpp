#include "ui/timeline/alike_layer.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/analysis/structure/steps.h"
#include "core/base/format.h"
#include "ui/timeline/lane_painter.h"

namespace lanescope {

namespace {

bool is_alike(const PaintInput& in, const Alike& alike, const RowItems& row, const RectItem& rect) {
    const Trace& trace = in.timeline.trace();
    if (alike.kind.name == StringPool::none) {
        if (profiler_step_index(trace.strings[rect.name]) < 0) return false;
    } else if (rect.name != alike.kind.name) {
        return false;
    }
    const auto [chunk, i] = trace.lanes[row.lane].locate(rect.slice);
    return chunk->category[i] == alike.kind.category;
}

void frame_alike(const PaintInput& in, const Alike& alike, QuadBatch& batch) {
    const Timeline& timeline = in.timeline;
    const Box& lanes = timeline.areas.lanes;
    const float line = std::max(1.0f, std::round(in.look.scale));
    for (const RowItems& row : in.items.rows) {
        if (alike.starts[row.lane].empty()) continue;
        const LayoutRow& place = timeline.layout.rows[row.row];
        const auto y0 = static_cast<float>(std::round(lanes.y0 + place.y - timeline.scroll_y));
        const float y1 = y0 + static_cast<float>(std::round(place.height));
        for (uint32_t i = row.rect_begin; i < row.rect_end; ++i) {
            const RectItem& rect = in.items.rects[i];
            if (!is_alike(in, alike, row, rect)) continue;
            const float x0 = lanes.x0 + std::round(rect.x0);
            const float x1 = std::max(lanes.x0 + std::round(rect.x1), x0 + 1);
            batch.frame(x0, y0, x1, y1, line, in.look.colors.accent);
        }
    }
}

// At most one tick for each pixel column, found by binary search: the cost depends on the number of
// pixels.
void tick_lane(const PaintInput& in, const std::vector<Nanos>& starts, float y, QuadBatch& batch) {
    const Box& lanes = in.timeline.areas.lanes;
    const Viewport& view = in.timeline.camera.view();
    const float height = in.look.px(3);
    auto at = std::ranges::lower_bound(starts, view.time_at(0));
    while (at != starts.end()) {
        const double x = std::floor(view.px_of(*at));
        if (x >= view.width) break;
        const float left = lanes.x0 + static_cast<float>(x);
        batch.quad(left, y, left + 2, y + height, in.look.colors.accent);
        at = std::lower_bound(at + 1, starts.end(), view.time_at(x + 2));
    }
}

void mark_alike(const PaintInput& in, const Alike& alike, QuadBatch& batch) {
    const Timeline& timeline = in.timeline;
    frame_alike(in, alike, batch);
    const Box& lanes = timeline.areas.lanes;
    for (const LaneBox& box : timeline.layout.lanes) {
        const auto y = static_cast<float>(std::round(lanes.y0 + box.y - timeline.scroll_y));
        const std::vector<Nanos>& starts = alike.starts[box.id];
        if (y > lanes.y1 || y + box.height < lanes.y0 || starts.empty()) continue;
        tick_lane(in, starts, y + in.look.px(1), batch);
    }
}

void label_alike(const PaintInput& in, const Alike& alike, ImDrawList& list) {
    const Timeline& timeline = in.timeline;
    const auto count = static_cast<int64_t>(alike.slices.size());
    std::string text = format_count(count) + " alike · " + format_duration(alike.total);
    if (const std::size_t at = alike.place(timeline.trace(), timeline.selected);
        at != Alike::nowhere)
        text = format_count(static_cast<int64_t>(at) + 1) + " of " + text;
    const Look& look = in.look;
    const Box& lanes = timeline.areas.lanes;
    const float width = text_width(look, look.fonts.medium, type::kTable, text) + look.px(16);
    const float height = look.px(22);
    const float x = lanes.x1 - width - look.px(14);
    const float y = lanes.y0 + look.px(8);
    list.AddRectFilled({x, y}, {x + width, y + height}, look.colors.raised, look.px(5));
    list.AddRect({x, y}, {x + width, y + height}, look.colors.accent, look.px(5));
    draw_text(list, look, look.fonts.medium, type::kTable,
              {x + look.px(8), text_y(look, type::kTable, y, height)}, look.colors.hi, text);
}

}  // namespace

void AlikeLayer::paint(LaneStage stage, const PaintInput& in, LaneTarget& to) {
    if (!alike) return;
    if (stage == LaneStage::above_slices) mark_alike(in, *alike, to.overlay);
    if (stage == LaneStage::texts && !to.pinned) label_alike(in, *alike, to.list);
}

void AlikeLayer::describe(const Timeline& timeline, nlohmann::json& state) const {
    state["alike"] = nullptr;
    if (!alike) return;
    state["alike"] = {{"name", alike->name},
                      {"count", alike->slices.size()},
                      {"total", alike->total},
                      {"place", nullptr}};
    if (const std::size_t at = alike->place(timeline.trace(), timeline.selected);
        at != Alike::nowhere)
        state["alike"]["place"] = at;
}

}  // namespace lanescope
