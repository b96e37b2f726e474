#include "ui/timeline/idle_layer.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/format.h"
#include "core/trace/query.h"
#include "core/trace/short_name.h"
#include "ui/timeline/lane_painter.h"

namespace lanescope {

namespace {

// Narrower spans are not worth showing at this scale.
constexpr double kHatchFrom = 40;
constexpr double kTintFrom = 8;
constexpr std::size_t kMaxSpansInRow = 400;
constexpr float kRoom = 6;  // free space at each side of a label

IdleLook look_of(const ShownIdle& idle, Theme theme) {
    return idle.cause ? gap_look(theme, *idle.cause) : dead_window_look(theme);
}

void paint_idle(const PaintInput& in, const std::vector<ShownIdle>& shown, QuadBatch& batch) {
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

HoverCard idle_card(const Trace& trace, const ShownIdle& idle) {
    HoverCard card{idle.cause ? "Idle for " : "Dead for ",
                   idle.cause ? "idle gap of a stream" : "dead window",
                   {}};
    card.name += format_duration(idle.span.length());
    if (idle.cause) card.lines.push_back({"Cause", std::string(short_cause(*idle.cause))});
    // Gaps of a GPU, which headlines name, are shorter than gaps of its streams.
    if (idle.cause && idle.device_idle < idle.span.length())
        card.lines.push_back({"Whole GPU", "idle for " + format_duration(idle.device_idle) +
                                               " of it: other streams were busy in between"});
    if (!idle.cause) {
        const SliceRef parent = slice_at(trace, idle.lane, idle.depth - 1, idle.span.begin);
        if (parent) card.lines.push_back({"In", std::string(short_name(trace, parent))});
    }
    const Neighbours sides =
        idle.cause ? idle.sides : sides_of_window(trace, idle.lane, idle.depth, idle.span);
    if (sides.before) card.lines.push_back({"After", std::string(short_name(trace, sides.before))});
    if (sides.after) card.lines.push_back({"Before", std::string(short_name(trace, sides.after))});
    return card;
}

}  // namespace

float idle_x(const Timeline& timeline, Nanos time) {
    const Viewport& view = timeline.camera.view();
    return timeline.areas.lanes.x0 +
           static_cast<float>(std::round(std::clamp(view.px_of(time), -8.0, view.width + 8)));
}

void IdleLayer::trace_changed() {
    spans.reset();
    windows.reset();
}

// A partly shown lane has other rows than the trace's lane.
const IdleRow* IdleLayer::row_of(const Timeline& timeline, LaneId lane, uint32_t depth) const {
    const ShownLanesPtr& lanes = timeline.index->shown;
    if (!lanes || !lanes->lanes[lane]) return spans->row(lane, depth);
    if (!windows || windows->shown != lanes) return nullptr;
    return windows->row(lane, depth);
}

void IdleLayer::find_in_row(const PaintInput& in, const RowItems& items) {
    const Timeline& timeline = in.timeline;
    const LayoutRow& place = timeline.layout.rows[items.row];
    const IdleRow* const row = row_of(timeline, items.lane, place.depth);
    if (!row) return;
    const bool gaps = !row->causes.empty();
    const Viewport& view = timeline.camera.view();
    const double min_length = (gaps ? kTintFrom : kHatchFrom) * in.look.scale * view.nanos_per_px();
    find_spans(*row, view.range(), static_cast<Nanos>(std::ceil(min_length)), kMaxSpansInRow,
               found_);
    const RowBox box = row_box(timeline, place);
    for (const uint32_t i : found_) {
        ShownIdle idle{items.lane,
                       row->depths.empty() ? place.depth : row->depths[i],
                       row->spans[i],
                       {},
                       {},
                       0,
                       {idle_x(timeline, row->spans[i].begin), box.y0,
                        idle_x(timeline, row->spans[i].end), box.y1}};
        if (gaps) {
            idle.cause = row->causes[i];
            idle.sides = {{items.lane, row->sides[i].first}, {items.lane, row->sides[i].second}};
            idle.device_idle = row->device_idle[i];
        }
        painted_.push_back(idle);
    }
}

// The pointer finds a span only in the visible part of its row.
void IdleLayer::keep_visible(const Box& lanes) {
    for (ShownIdle idle : painted_) {
        idle.box.y0 = std::max(idle.box.y0, lanes.y0);
        idle.box.y1 = std::min(idle.box.y1, lanes.y1);
        if (idle.box.y0 < idle.box.y1) visible_.push_back(idle);
    }
}

void IdleLayer::paint(LaneStage stage, const PaintInput& in, LaneTarget& to) {
    if (stage == LaneStage::labels) label_idle(in, painted_, to.labels, to.lanes);
    if (stage != LaneStage::below_slices) return;
    painted_.clear();
    if (!to.pinned) visible_.clear();
    if (!spans || !shown) return;
    for (const RowItems& row : in.items.rows)
        if (in.timeline.layout.rows[row.row].kind == RowKind::slices) find_in_row(in, row);
    paint_idle(in, painted_, to.lanes);
    keep_visible(in.timeline.areas.lanes);
}

HoverCard IdleLayer::card_at(const Timeline& timeline, ImVec2 at) const {
    if (timeline.hovered.kind != HitKind::nothing) return {};
    const auto found =
        std::ranges::find_if(visible_, [&](const ShownIdle& idle) { return idle.box.holds(at); });
    return found == visible_.end() ? HoverCard{} : idle_card(timeline.trace(), *found);
}

void IdleLayer::describe(const Timeline& timeline, nlohmann::json& state) const {
    using nlohmann::json;
    const Box& lanes = timeline.areas.lanes;
    state["idle_shown"] = shown;
    state["idle_known"] = spans != nullptr;
    state["idle"] = json::array();
    for (const ShownIdle& idle : visible_)
        state["idle"].push_back(
            {{"lane_id", idle.lane},
             {"depth", idle.depth},
             {"start", idle.span.begin - timeline.trace().origin},
             {"duration", idle.span.length()},
             {"cause", idle.cause ? json(short_cause(*idle.cause)) : json()},
             {"device_idle", idle.cause ? json(idle.device_idle) : json()},
             {"x", (std::max(idle.box.x0, lanes.x0) + std::min(idle.box.x1, lanes.x1)) / 2},
             {"y", (idle.box.y0 + idle.box.y1) / 2}});
}

}  // namespace lanescope
