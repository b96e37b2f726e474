// The lanes area: grid, slices, labels, cursor, and what the layers paint there.
#include <algorithm>
#include <cmath>

#include "core/base/format.h"
#include "ui/timeline/class_layer.h"
#include "ui/timeline/found_layer.h"
#include "ui/timeline/idle_layer.h"
#include "ui/timeline/lane_painter.h"
#include "ui/timeline/slice_filter.h"
#include "ui/timeline/timeline_view.h"

namespace lanescope {

namespace {

constexpr float kHatchStep = 8;

void paint_grid(const Timeline& timeline, const std::vector<RulerTick>& ticks, const Look& look,
                QuadBatch& batch) {
    const Box& lanes = timeline.areas.lanes;
    const ImU32 color = mixed(look.colors.bg, look.colors.line, 0.75f);
    for (const RulerTick& tick : ticks) {
        if (!tick.major || tick.x < 0 || tick.x > lanes.width()) continue;
        const float x = lanes.x0 + static_cast<float>(std::floor(tick.x));
        batch.quad_below(x, lanes.y0, x + 1, lanes.y1, color);
    }
}

void paint_group_bands(const Timeline& timeline, const Look& look, QuadBatch& batch) {
    const Box& lanes = timeline.areas.lanes;
    const ImU32 band = mixed(look.colors.bg, look.colors.panel, 0.6f);
    for (const GroupBox& group : timeline.layout.groups) {
        const LayoutRow& head = timeline.layout.rows[group.head_row];
        const auto y = static_cast<float>(std::round(lanes.y0 + head.y - timeline.scroll_y));
        const float y1 = y + static_cast<float>(std::round(head.height));
        if (y1 < lanes.y0 || y > lanes.y1) continue;
        batch.quad_below(lanes.x0, y, lanes.x1, y1, band);
    }
}

void paint_cursor(const Timeline& timeline, const Look& look, QuadBatch& batch) {
    if (!timeline.pointer_inside) return;
    const Box& lanes = timeline.areas.lanes;
    const float x = std::floor(ImGui::GetIO().MousePos.x);
    const float dash = look.px(3);
    const auto dashes = static_cast<int>(std::ceil(lanes.height() / (2 * dash)));
    for (int i = 0; i < dashes; ++i) {
        const float y = lanes.y0 + 2 * dash * static_cast<float>(i);
        batch.quad(x, y, x + 1, y + dash, look.colors.low);
    }
}

// Returns whether the filter of Python frames leaves out slices of the group's lanes.
bool omits_frames(const Timeline& timeline, const GroupBox& group) {
    const ShownLanesPtr& shown = timeline.index->shown;
    if (!shown || shown->filter.hide_short) return false;
    const auto& lanes = timeline.layout.lanes;
    return std::any_of(lanes.begin() + group.lane_begin, lanes.begin() + group.lane_end,
                       [&](const LaneBox& box) { return shown->lanes[box.id] != nullptr; });
}

void label_groups(const Timeline& timeline, const Look& look, ImDrawList& list) {
    const Box& lanes = timeline.areas.lanes;
    const std::string_view place = timeline.layout.docked ? "pinned" : "";
    const float place_width = text_width(look, look.fonts.regular, type::kSecondary, place);
    for (const GroupBox& group : timeline.layout.groups) {
        const LayoutRow& head = timeline.layout.rows[group.head_row];
        const auto y = static_cast<float>(lanes.y0 + head.y - timeline.scroll_y);
        if (head.height <= 0 || y + head.height < lanes.y0 || y > lanes.y1) continue;
        const float text = text_y(look, type::kSecondary, y, static_cast<float>(head.height));
        draw_text_cut(list, look, look.fonts.regular, type::kSecondary,
                      {lanes.x0 + look.px(8), text}, look.colors.low, group_line(timeline, group),
                      lanes.width() - place_width - look.px(24));
        draw_text(list, look, look.fonts.regular, type::kSecondary,
                  {lanes.x1 - place_width - look.px(8), text}, look.colors.low, place);
    }
}

void label_counters(const Timeline& timeline, const DrawItems& items, const Look& look,
                    ImDrawList& list) {
    const Box& lanes = timeline.areas.lanes;
    for (const RowItems& row : items.rows) {
        const LayoutRow& place = timeline.layout.rows[row.row];
        if (place.kind != RowKind::counter || row.point_begin == row.point_end) continue;
        const auto y = static_cast<float>(lanes.y0 + place.y - timeline.scroll_y);
        const std::string text = "max " + format_counter(timeline.trace(), row.lane, row.value_max);
        draw_text(list, look, look.fonts.regular, type::kSecondary,
                  {lanes.x0 + look.px(8), std::round(y)}, look.colors.low, text);
    }
}

const DeviceLine* device_line(const Timeline& timeline, const GroupBox& group) {
    const auto& idle = timeline.layer<IdleLayer>().spans;
    return idle ? idle->device_line(group.process) : nullptr;
}

}  // namespace

std::string folded_line(const Timeline& timeline, const GroupBox& group) {
    const DeviceLine* const device = device_line(timeline, group);
    return group.collapsed && device ? device->busy : std::string();
}

std::string group_line(const Timeline& timeline, const GroupBox& group) {
    std::string line = group.detail;
    const auto add = [&line](const std::string& text) {
        if (!text.empty()) line += (line.empty() ? "" : " · ") + text;
    };
    if (!group.is_gpu && omits_frames(timeline, group)) {
        const bool own = timeline.index->shown->filter.python == PythonShown::own;
        add(own ? "only your Python frames" : "Python frames folded");
        if (!timeline.frames_key.empty()) line += "  " + timeline.frames_key;
    }
    if (const DeviceLine* const device = device_line(timeline, group)) add(device->text);
    return line;
}

void TimelineView::draw_lanes(Timeline& timeline, const Look& look, Canvas& canvas,
                              LaneArea& area) {
    const Box& lanes = timeline.areas.lanes;
    const DrawItems& items =
        area.culler.cull({timeline.index, timeline.layout, palette_, timeline.camera.view(),
                          timeline.scroll_y, lanes.height(), cull_options_});
    PaintInput input{timeline,
                     items,
                     palette_,
                     look,
                     timeline.layer<FoundLayer>(),
                     timeline.layer<ClassLayer>().filter};
    ImDrawList& list = *ImGui::GetWindowDrawList();
    LaneTarget target{area.lanes, area.overlay, labels_, list, area.pinned};
    const auto paint = [&](LaneStage stage) {
        for (const auto& layer : timeline.layers) layer->paint(stage, input, target);
    };
    area.lanes.clear();
    area.lanes.set_hatch_step(look.px(kHatchStep));
    area.overlay.clear();
    paint_group_bands(timeline, look, area.lanes);
    paint(LaneStage::below_slices);
    paint_grid(timeline, ticks_, look, area.lanes);
    input.strips = filtered_strips(input, area.strips);
    paint_rows(input, area.lanes);
    paint(LaneStage::above_slices);
    paint_cursor(timeline, look, area.overlay);

    list.PushClipRect({lanes.x0, lanes.y0}, {lanes.x1, lanes.y1}, true);
    canvas.painter().add_to(list, area.lanes);
    paint_labels(input, labels_, area.lanes, list);
    paint(LaneStage::labels);
    canvas.painter().add_to(list, area.overlay);
    paint(LaneStage::flows);
    label_groups(timeline, look, list);
    label_counters(timeline, items, look, list);
    paint(LaneStage::above_names);
    paint(LaneStage::texts);
    list.PopClipRect();
}

}  // namespace lanescope
