// The heads of groups and lanes: names, and a click that folds.
#include <algorithm>
#include <cmath>

#include "ui/timeline/timeline.h"

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

template <typename Id>
void toggle(std::set<Id>& folded, Id id) {
    if (!folded.erase(id)) folded.insert(id);
}

struct HeadRow {
    float y0, y1;
    bool hot;  // under the pointer
};

HeadRow head_row(const Timeline& timeline, double y, double height, bool hovered) {
    const Box& heads = timeline.areas.heads;
    const auto y0 = static_cast<float>(std::round(heads.y0 + y - timeline.scroll_y));
    const float y1 = y0 + static_cast<float>(std::round(height));
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    return {y0, y1, hovered && heads.holds(mouse) && mouse.y >= y0 && mouse.y < y1};
}

// The name of a lane, and what it is; it stays in view as long as the lane does.
void draw_lane_head(const Timeline& timeline, const LaneBox& lane, HeadRow head, float top,
                    const Look& look) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const Box& heads = timeline.areas.heads;
    const Colors& c = look.colors;
    const bool foldable = timeline.trace().lanes[lane.id].depth_count > 1;
    if (head.hot && foldable) {
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
    draw_text_cut(list, look, look.fonts.medium, type::kText,
                  {x, text_y(look, type::kText, head.y0, head.y1 - head.y0)}, c.hi, group.name,
                  heads.x1 - look.px(8) - x);
}

}  // namespace

void TimelineView::draw_heads(Timeline& timeline, const Look& look) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const Box& heads = timeline.areas.heads;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    // The edge belongs to the width's grip, not to folding.
    const bool pointed = hovered_ && drag_ == Drag::none && mouse.x < heads.x1 - look.px(6);
    const bool clicked = pointed && ImGui::IsMouseClicked(0);
    list.PushClipRect({heads.x0, heads.y0}, {heads.x1, heads.y1}, true);
    const auto head_height = static_cast<float>(std::round(Measures{}.group_head * look.scale));
    const bool on_pinned = mouse.y < heads.y0 + head_height;
    for (const LaneBox& lane : timeline.layout.lanes) {
        HeadRow head = head_row(timeline, lane.y, lane.height, pointed);
        if (head.y1 < heads.y0 || head.y0 > heads.y1) continue;
        head.hot = head.hot && !on_pinned;
        draw_lane_head(timeline, lane, head, heads.y0 + head_height, look);
        const bool foldable = timeline.trace().lanes[lane.id].depth_count > 1;
        if (head.hot && foldable && clicked) toggle(timeline.folded.lanes, lane.id);
    }
    // The head of the topmost group in view stays at the top until the next one pushes it away.
    for (const GroupBox& group : timeline.layout.groups) {
        const auto group_end =
            static_cast<float>(std::round(heads.y0 + group.y + group.height - timeline.scroll_y));
        if (group_end <= heads.y0) continue;
        HeadRow head = head_row(timeline, group.y, head_height, pointed);
        if (head.y0 > heads.y1) break;
        if (head.y0 < heads.y0) {
            head.y0 = std::min(heads.y0, group_end - head_height);
            head.y1 = head.y0 + head_height;
            head.hot = pointed && heads.holds(mouse) && mouse.y < head.y1;
        }
        draw_group_head(timeline, group, head, look);
        if (head.hot && clicked) toggle(timeline.folded.processes, group.process);
    }
    list.PopClipRect();
    list.AddRectFilled({heads.x1 - 1, timeline.areas.ruler.y0}, {heads.x1, heads.y1},
                       look.colors.line);
}

}  // namespace lanescope
