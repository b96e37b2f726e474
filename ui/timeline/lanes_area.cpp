// The lanes area: grid, marked range, slices, labels, selection, cursor.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/base/format.h"
#include "core/trace/short_name.h"
#include "ui/timeline/idle_painter.h"
#include "ui/timeline/lane_painter.h"
#include "ui/timeline/notes_painter.h"
#include "ui/timeline/timeline.h"

namespace lanescope {

namespace {

double now_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

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

void paint_marked(const Timeline& timeline, const Look& look, QuadBatch& batch,
                  QuadBatch& overlay) {
    if (!timeline.marked) return;
    const Box& lanes = timeline.areas.lanes;
    const Viewport& view = timeline.camera.view();
    const auto edge = [&](Nanos t) {
        return lanes.x0 +
               static_cast<float>(std::round(std::clamp(view.px_of(t), -2.0, view.width + 2)));
    };
    const float x0 = edge(timeline.marked->time.begin);
    const float x1 = edge(timeline.marked->time.end);
    const ImU32 fill = mixed(look.colors.bg, look.colors.accent, 0.14f);
    const auto band = [&](float y0, float y1) {
        batch.quad_below(x0, y0, x1, y1, fill);
        overlay.quad(x0, y0, x0 + 1, y1, look.colors.accent);
        overlay.quad(x1 - 1, y0, x1, y1, look.colors.accent);
    };
    const std::vector<LaneId>& marked = timeline.marked->lanes;
    if (marked.empty()) {
        band(lanes.y0, lanes.y1);
        return;
    }
    for (const LaneBox& box : timeline.layout.lanes) {
        const auto y0 = static_cast<float>(std::round(lanes.y0 + box.y - timeline.scroll_y));
        const float y1 = y0 + static_cast<float>(std::round(box.height));
        if (y1 < lanes.y0 || y0 > lanes.y1) continue;
        if (std::ranges::binary_search(marked, box.id)) band(y0, y1);
    }
    // Marks the time of the pointed-at slice across all lanes, for comparison.
    for (const float x : {x0, x1 - 1})
        batch.quad_below(x, lanes.y0, x + 1, lanes.y1, look.colors.line2);
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

// Draws the edges and the length of the marked range; the lanes between them stay visible.
void outline_gap(const Timeline& timeline, const Look& look, ImDrawList& list) {
    if (!timeline.gap) return;
    const Box& lanes = timeline.areas.lanes;
    const Viewport& view = timeline.camera.view();
    const auto edge = [&](Nanos t) {
        return lanes.x0 + static_cast<float>(std::clamp(view.px_of(t), -1.0, view.width + 1));
    };
    const float x0 = std::round(edge(timeline.gap->begin));
    const float x1 = std::round(edge(timeline.gap->end));
    if (x1 < lanes.x0 || x0 > lanes.x1) return;
    list.PushClipRect({lanes.x0, lanes.y0}, {lanes.x1, lanes.y1}, true);
    for (const float x : {x0, x1})
        list.AddRectFilled({x, lanes.y0}, {x + look.px(1), lanes.y1}, look.colors.waiting);
    const std::string text = "idle " + format_duration(timeline.gap->length());
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

void label_marked(const Timeline& timeline, const Look& look, ImDrawList& list) {
    if (!timeline.marked) return;
    const Box& lanes = timeline.areas.lanes;
    const Viewport& view = timeline.camera.view();
    const double x0 = std::clamp(view.px_of(timeline.marked->time.begin), 0.0, view.width);
    const double x1 = std::clamp(view.px_of(timeline.marked->time.end), 0.0, view.width);
    std::string text = format_duration(timeline.marked->time.length());
    if (const auto& slices = timeline.marked->slices)
        text += " · " + format_count(static_cast<int64_t>(*slices)) +
                (*slices == 1 ? " slice" : " slices");
    if (const std::size_t count = timeline.marked->lanes.size(); count > 0)
        text +=
            " · " + format_count(static_cast<int64_t>(count)) + (count == 1 ? " lane" : " lanes");
    const float width = text_width(look, look.fonts.medium, type::kTable, text) + look.px(16);
    const float room = lanes.width() - width;
    const float x = lanes.x0 + std::clamp(static_cast<float>((x0 + x1) / 2) - width / 2, 0.0f,
                                          std::max(0.0f, room));
    const float height = look.px(22);
    const float y = lanes.y1 - height - look.px(8);
    list.AddRectFilled({x, y}, {x + width, y + height}, look.colors.raised, look.px(5));
    list.AddRect({x, y}, {x + width, y + height}, look.colors.accent, look.px(5));
    draw_text(list, look, look.fonts.medium, type::kTable,
              {x + look.px(8), text_y(look, type::kTable, y, height)}, look.colors.hi, text);
}

// A flow between a pinned lane and another one is drawn in both areas, and counts once.
void count_flows(const VisibleLinks& main, const VisibleLinks* pinned, ShownFlows& flows) {
    flows = {main.links.size(), main.all};
    if (!pinned) return;
    const auto twice =
        static_cast<std::size_t>(std::ranges::count_if(pinned->links, [&](uint32_t link) {
            return std::ranges::binary_search(main.links, link);
        }));
    flows.drawn += pinned->links.size() - twice;
    flows.all += pinned->all - twice;
}

const DeviceLine* device_line(const Timeline& timeline, const GroupBox& group) {
    return timeline.idle ? timeline.idle->device_line(group.process) : nullptr;
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

void TimelineView::draw_lanes(Timeline& timeline, const Look& look, Canvas& canvas, Layer& layer) {
    const double began = now_seconds();
    const Box& lanes = timeline.areas.lanes;
    const DrawItems& items =
        layer.culler.cull({timeline.index, timeline.layout, palette_, timeline.camera.view(),
                           timeline.scroll_y, lanes.height(), cull_options_});
    PaintInput input{timeline, items, palette_, look};
    layer.lanes.clear();
    layer.overlay.clear();
    paint_group_bands(timeline, look, layer.lanes);
    paint_marked(timeline, look, layer.lanes, layer.overlay);
    paint_idle(input, layer.idle, layer.lanes);
    paint_described_gap(input, layer.lanes, layer.overlay);
    paint_grid(timeline, ticks_, look, layer.lanes);
    input.strips = filtered_strips(input, layer.strips);
    paint_rows(input, layer.lanes);
    paint_found(input, layer.overlay);
    paint_alike(input, layer.overlay);
    paint_critical_path(input, layer.overlay);
    paint_selection(input, layer.overlay);
    paint_cursor(timeline, look, layer.overlay);

    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.PushClipRect({lanes.x0, lanes.y0}, {lanes.x1, lanes.y1}, true);
    canvas.painter().add_to(list, layer.lanes);
    paint_labels(input, labels_, layer.lanes, list);
    label_idle(input, layer.idle, labels_, layer.lanes);
    // The pointer finds a span only in the visible part of its row.
    for (ShownIdle idle : layer.idle) {
        idle.box.y0 = std::max(idle.box.y0, lanes.y0);
        idle.box.y1 = std::min(idle.box.y1, lanes.y1);
        if (idle.box.y0 < idle.box.y1) timeline.shown_idle.push_back(idle);
    }
    canvas.painter().add_to(list, layer.overlay);
    if (timeline.flows_shown) {
        paint_all_flows(input, layer.links, list);
        count_flows(main_layer_.links, layer.pinned ? &pinned_layer_.links : nullptr,
                    timeline.flows);
    }
    paint_flows(input, list);
    label_groups(timeline, look, list);
    label_counters(timeline, items, look, list);
    draw_notes_on_lanes(timeline, look, list);
    if (!layer.pinned) {
        outline_gap(timeline, look, list);
        label_marked(timeline, look, list);
        label_alike(input, list);
    }
    list.PopClipRect();
    timeline.frame_seconds = (layer.pinned ? timeline.frame_seconds : 0) + now_seconds() - began;
}

}  // namespace lanescope
