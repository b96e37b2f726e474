// The heads of groups and lanes: drawing, and which of them is at a point.
#include <algorithm>
#include <cmath>

#include "core/base/format.h"
#include "ui/timeline/timeline_view.h"

namespace lanescope {

namespace {

constexpr float kGroupIndent = 12;
constexpr float kLaneIndent = 26;
constexpr float kTextIndent = 40;

// A small triangle: down when open, to the right when folded.
void draw_chevron(ImDrawList& list, ImVec2 middle, float half, bool folded, ImU32 color) {
    if (folded) {
        list.AddTriangleFilled({middle.x - half * 0.6f, middle.y - half},
                               {middle.x - half * 0.6f, middle.y + half},
                               {middle.x + half * 0.8f, middle.y}, color);
    } else {
        list.AddTriangleFilled({middle.x - half, middle.y - half * 0.6f},
                               {middle.x + half, middle.y - half * 0.6f},
                               {middle.x, middle.y + half * 0.8f}, color);
    }
}

struct HeadRow {
    float y0, y1;
    bool hot;  // under the pointer
};

HeadRow head_row(const Timeline& timeline, double y, double height) {
    const Box& heads = timeline.areas.heads;
    const auto y0 = static_cast<float>(std::round(heads.y0 + y - timeline.scroll_y));
    return {y0, y0 + static_cast<float>(std::round(height)), false};
}

// The name of a lane and its details, kept in view while any part of the lane is.
void draw_lane_head(const Timeline& timeline, const LaneBox& lane, HeadRow head, float top,
                    const Look& look) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const Box& heads = timeline.areas.heads;
    const Colors& c = look.colors;
    const bool foldable = is_foldable(timeline.trace().lanes[lane.id]);
    if (head.hot) {
        list.AddRectFilled({heads.x0, head.y0}, {heads.x1, head.y1}, mixed(c.panel, c.line, 0.35f));
    }
    list.AddRectFilled({heads.x0, head.y1 - 1}, {heads.x1, head.y1}, c.line);
    const bool one_line = lane.height < 30 * look.scale;
    const float line = look.px(16);
    const float needed = one_line ? line : 2 * line + look.px(3);
    float y = one_line ? head.y0 + (head.y1 - head.y0 - line) / 2 : head.y0 + look.px(3);
    y = std::max(y, std::min(top + look.px(3), head.y1 - needed));
    if (foldable) {
        draw_chevron(list, {heads.x0 + look.px(kLaneIndent + 4), std::round(y + line / 2)},
                     look.px(4), lane.collapsed, c.low);
    }
    const float x = heads.x0 + look.px(kTextIndent);
    const float room = heads.x1 - look.px(8) - x;
    constexpr float size = type::kTable + 0.6f;
    draw_text_cut(list, look, look.fonts.regular, size, {x, text_y(look, size, y, line)}, c.mid,
                  lane.name, room);
    if (one_line) return;
    draw_text_cut(list, look, look.fonts.regular, type::kSecondary,
                  {x, text_y(look, type::kSecondary, y + line, line - look.px(1))}, c.low,
                  lane.detail, room);
}

// The place of a group's folded_line(): beside the group's name, or below the name.
struct PlacedLine {
    std::string text;  // empty: nothing is known, or there is no room
    ImVec2 place;
    bool beside = false;
};

PlacedLine place_of_line(const Timeline& timeline, const GroupBox& group, HeadRow head,
                         const Look& look) {
    const std::string text = folded_line(timeline, group);
    if (text.empty()) return {};
    const Box& heads = timeline.areas.heads;
    const float x = heads.x0 + look.px(kLaneIndent);
    const float right = heads.x1 - look.px(8);
    const float width = text_width(look, look.fonts.regular, type::kSecondary, text);
    const float name = text_width(look, look.fonts.medium, type::kText, group.name);
    if (x + name + look.px(8) + width <= right) {
        const float y = text_y(look, type::kSecondary, head.y0, head.y1 - head.y0);
        return {text, {right - width, y}, true};
    }
    const float below = look.px(16);
    const auto end =
        static_cast<float>(std::round(heads.y0 + group.y + group.height - timeline.scroll_y));
    if (head.y1 + below > end) return {};
    return {text, {x, text_y(look, type::kSecondary, head.y1, below)}, false};
}

void draw_group_head(const Timeline& timeline, const GroupBox& group, HeadRow head,
                     const Look& look) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const Box& heads = timeline.areas.heads;
    const Colors& c = look.colors;
    list.AddRectFilled({heads.x0, head.y0}, {heads.x1, head.y1},
                       head.hot ? mixed(c.panel, c.line2, 0.7f) : mixed(c.panel, c.line, 0.45f));
    draw_chevron(list, {heads.x0 + look.px(kGroupIndent + 2), std::round((head.y0 + head.y1) / 2)},
                 look.px(4), group.collapsed, c.mid);
    const float x = heads.x0 + look.px(kLaneIndent);
    const float right = heads.x1 - look.px(8);
    float room = right - x;
    if (const PlacedLine line = place_of_line(timeline, group, head, look); !line.text.empty()) {
        draw_text(list, look, look.fonts.regular, type::kSecondary, line.place, c.low, line.text);
        if (line.beside) room = line.place.x - look.px(8) - x;
    }
    draw_text_cut(list, look, look.fonts.medium, type::kText,
                  {x, text_y(look, type::kText, head.y0, head.y1 - head.y0)}, c.hi, group.name,
                  room);
}

// The position of a group's head: the topmost visible one stays at the top until the next one
// pushes it away.
HeadRow group_row(const Timeline& timeline, const GroupBox& group, float height) {
    const Box& heads = timeline.areas.heads;
    HeadRow head = head_row(timeline, group.y, static_cast<double>(height));
    const auto group_end =
        static_cast<float>(std::round(heads.y0 + group.y + group.height - timeline.scroll_y));
    if (head.y0 < heads.y0) {
        head.y0 = std::min(heads.y0, group_end - height);
        head.y1 = head.y0 + height;
    }
    return head;
}

float head_height(const Look& look) {
    return static_cast<float>(std::round(Measures{}.group_head * look.scale));
}

// The line below all lanes with the number of hidden lanes.
HeadRow hidden_row(const Timeline& timeline, const Look& look) {
    return head_row(timeline, timeline.layout.height - static_cast<double>(head_height(look)),
                    static_cast<double>(head_height(look)));
}

bool has_hidden_row(const Timeline& timeline) {
    return timeline.layout.hidden > 0 && !timeline.layout.docked;
}

// The line that represents the quiet lanes of a group.
HeadRow more_row(const Timeline& timeline, const GroupBox& group) {
    const LayoutRow& row = timeline.layout.rows[group.more_row];
    return head_row(timeline, row.y, row.height);
}

// A line about lanes that are not shown; a click shows them.
void draw_lane_count(const Timeline& timeline, HeadRow row, bool hot, const std::string& text,
                     const Look& look) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const Box& heads = timeline.areas.heads;
    if (row.y1 < heads.y0 || row.y0 > heads.y1) return;
    const float x = heads.x0 + look.px(kLaneIndent);
    const float y = text_y(look, type::kSecondary, row.y0, row.y1 - row.y0);
    draw_text_cut(list, look, look.fonts.regular, type::kSecondary, {x, y},
                  hot ? look.colors.accent : look.colors.mid, text, heads.x1 - look.px(8) - x);
}

bool is_on(const HeadTarget& target, HeadTarget::Kind kind) {
    return target.kind == kind;
}

}  // namespace

HeadTarget head_at(const Timeline& timeline, const Look& look, ImVec2 point) {
    using Kind = HeadTarget::Kind;
    const Box& heads = timeline.areas.heads;
    const LaneLayout& layout = timeline.layout;
    // The edge on the right is the handle for the width.
    if (!heads.holds(point) || point.x >= heads.x1 - look.px(6)) return {};
    for (const GroupBox& group : layout.groups) {
        const HeadRow row = group_row(timeline, group, head_height(look));
        if (point.y >= row.y0 && point.y < row.y1)
            return {Kind::group, 0, group.key, row.y0, row.y1};
    }
    const double y = point.y - heads.y0 + timeline.scroll_y;
    const uint32_t at = layout.lane_at(y);
    if (at != LaneLayout::none) {
        const LaneBox& lane = layout.lanes[at];
        const HeadRow row = head_row(timeline, lane.y, lane.height);
        const bool edge = !lane.collapsed && point.y > row.y1 - look.px(4);
        return {edge ? Kind::lane_edge : Kind::lane, lane.id, layout.groups[lane.group].key, row.y0,
                row.y1};
    }
    for (const GroupBox& group : layout.groups) {
        if (group.quiet == 0) continue;
        const HeadRow row = more_row(timeline, group);
        if (point.y >= row.y0 && point.y < row.y1)
            return {Kind::more_lanes, 0, group.key, row.y0, row.y1};
    }
    if (has_hidden_row(timeline)) {
        const HeadRow row = hidden_row(timeline, look);
        if (point.y >= row.y0 && point.y < row.y1)
            return {Kind::hidden_lanes, 0, {}, row.y0, row.y1};
    }
    return {};
}

void TimelineView::draw_heads(Timeline& timeline, const Look& look) {
    using Kind = HeadTarget::Kind;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const Box& heads = timeline.areas.heads;
    const HeadTarget hot = hovered_ && drag_.kind == Drag::none
                               ? head_at(timeline, look, ImGui::GetIO().MousePos)
                               : drag_.head;
    list.PushClipRect({heads.x0, heads.y0}, {heads.x1, heads.y1}, true);
    const float height = head_height(look);
    for (const LaneBox& lane : timeline.layout.lanes) {
        if (lane.in_head) continue;
        HeadRow head = head_row(timeline, lane.y, lane.height);
        if (head.y1 < heads.y0 || head.y0 > heads.y1) continue;
        head.hot = timeline.named_lane == lane.id ||
                   ((is_on(hot, Kind::lane) || is_on(hot, Kind::lane_edge)) && hot.lane == lane.id);
        draw_lane_head(timeline, lane, head, heads.y0 + height, look);
    }
    for (const GroupBox& group : timeline.layout.groups) {
        HeadRow head = group_row(timeline, group, height);
        if (head.y1 <= heads.y0) continue;
        if (head.y0 > heads.y1) break;
        head.hot = is_on(hot, Kind::group) && hot.group == group.key;
        draw_group_head(timeline, group, head, look);
    }
    for (const GroupBox& group : timeline.layout.groups) {
        if (group.quiet == 0) continue;
        const std::string text = quiet_line(group);
        draw_lane_count(timeline, more_row(timeline, group),
                        is_on(hot, Kind::more_lanes) && hot.group == group.key, text, look);
    }
    if (has_hidden_row(timeline)) {
        const uint32_t count = timeline.layout.hidden;
        draw_lane_count(timeline, hidden_row(timeline, look), is_on(hot, Kind::hidden_lanes),
                        format_count(count) + (count == 1 ? " lane hidden" : " lanes hidden"),
                        look);
    }
    list.PopClipRect();
    draw_drop(timeline, look);
    list.AddRectFilled({heads.x1 - 1, timeline.areas.ruler.y0}, {heads.x1, heads.y1},
                       look.colors.line);
}

}  // namespace lanescope
