// The pointer on heads: a click folds, a drag moves a lane or group, dragging the lower edge sets a
// height, the right button opens a menu.
#include <algorithm>
#include <cmath>
#include <set>

#include "ui/commands/panel_names.h"
#include "ui/timeline/timeline_view.h"

namespace lanescope {

namespace {

using Kind = HeadTarget::Kind;

template <typename Key>
void toggle(std::set<Key>& keys, const Key& key) {
    if (!keys.erase(key)) keys.insert(key);
}

const LaneBox* box_of(const LaneLayout& layout, LaneId lane) {
    const auto found = std::ranges::find(layout.lanes, lane, &LaneBox::id);
    return found == layout.lanes.end() ? nullptr : &*found;
}

// The height of a lane's rows of slices, or of its curve, with the gaps between them.
double rows_height(const LaneLayout& layout, const LaneBox& box, double gap) {
    double height = 0;
    for (uint32_t row = box.row_begin; row < box.row_end; ++row)
        if (layout.rows[row].kind == RowKind::slices || layout.rows[row].kind == RowKind::counter)
            height += layout.rows[row].height + gap;
    return height;
}

void place_pinned(std::vector<LaneId>& pinned, LaneId lane, LaneId neighbor, bool after) {
    if (lane == neighbor || std::erase(pinned, lane) == 0) return;
    const auto at = std::ranges::find(pinned, neighbor);
    pinned.insert(at == pinned.end() || !after ? at : at + 1, lane);
}

}  // namespace

void TimelineView::point_at_heads(Timeline& timeline, const Look& look) {
    timeline.pointed_lane.reset();
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const ImVec2 moved = ImGui::GetIO().MouseDelta;
    if (moved.x != 0 || moved.y != 0) timeline.named_lane.reset();
    if (timeline.named_lane) timeline.pointed_lane = timeline.named_lane;
    if (timeline.named_lane || !hovered_) return;
    const Box& lanes = timeline.areas.lanes;
    if (lanes.holds(mouse)) {
        const uint32_t at = timeline.layout.lane_at(mouse.y - lanes.y0 + timeline.scroll_y);
        if (at != LaneLayout::none) timeline.pointed_lane = timeline.layout.lanes[at].id;
        return;
    }
    const HeadTarget target = head_at(timeline, look, mouse);
    if (target.kind == Kind::lane || target.kind == Kind::lane_edge)
        timeline.pointed_lane = target.lane;
    if (target.kind == Kind::lane_edge && drag_.kind == Drag::none)
        ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
    if (target.kind == Kind::hidden_lanes || target.kind == Kind::more_lanes)
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
}

bool TimelineView::begin_head_drag(Timeline& timeline, const Look& look, Requests& requests) {
    const HeadTarget target = head_at(timeline, look, drag_.from);
    if (target.kind == Kind::nothing || drag_.button == 2) return false;
    if (drag_.button == 1) {
        requests.add(OpenHeadMenu{target});
        return true;
    }
    drag_.head = target;
    drag_.kind = target.kind == Kind::lane_edge ? Drag::lane_height : Drag::head;
    if (const LaneBox* box = box_of(timeline.layout, target.lane))
        drag_.height_at_first =
            rows_height(timeline.layout, *box, Measures{}.row_gap * laid_out_.scale);
    return true;
}

// The place to which the dragged head would move: beside another lane of its group, or beside
// another group.
void TimelineView::drag_head(Timeline& timeline, const Look& look) {
    drag_.drop.reset();
    if (drag_.head.kind != Kind::lane && drag_.head.kind != Kind::group) return;
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
    const Box& heads = timeline.areas.heads;
    const ImVec2 mouse{heads.x0 + 1, std::clamp(ImGui::GetIO().MousePos.y, heads.y0, heads.y1 - 1)};
    HeadTarget neighbor = head_at(timeline, look, mouse);
    if (neighbor.kind == Kind::lane_edge) neighbor.kind = Kind::lane;
    if (drag_.head.kind == Kind::group && neighbor.kind == Kind::lane) {
        const auto group =
            std::ranges::find(timeline.layout.groups, neighbor.group, &GroupBox::key);
        neighbor.kind = Kind::group;
        neighbor.y0 = heads.y0 + static_cast<float>(group->y - timeline.scroll_y);
        neighbor.y1 = neighbor.y0 + static_cast<float>(group->height);
    }
    if (neighbor.kind != drag_.head.kind) return;
    if (drag_.head.kind == Kind::lane && neighbor.group != drag_.head.group) return;
    const bool after = mouse.y > (neighbor.y0 + neighbor.y1) / 2;
    drag_.drop = TimelineDrag::Drop{neighbor, after, after ? neighbor.y1 : neighbor.y0};
}

void TimelineView::draw_drop(Timeline& timeline, const Look& look) {
    if (!drag_.drop || drag_.kind != Drag::head) return;
    const Box& heads = timeline.areas.heads;
    if (drag_.drop->y < heads.y0 || drag_.drop->y > heads.y1) return;
    const float y = std::round(drag_.drop->y);
    ImGui::GetWindowDrawList()->AddRectFilled(
        {heads.x0, y - look.px(1)}, {timeline.areas.lanes.x1, y + look.px(1)}, look.colors.accent);
}

void TimelineView::drag_lane_height(Timeline& timeline) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
    const LaneBox* box = box_of(timeline.layout, drag_.head.lane);
    if (!box) return;
    const Lane& lane = shown_lane(timeline.trace(), timeline.index->shown, drag_.head.lane);
    const double wanted = drag_.height_at_first + (ImGui::GetIO().MousePos.y - drag_.from.y);
    const Measures& measures = laid_out_.measures;
    const double one = lane.counter                    ? measures.counter_row
                       : lane.kind == LaneKind::stream ? measures.kernel_row
                                                       : measures.slice_row;
    set_lane_height(timeline.arrangement, drag_.head.lane, lane, wanted / one);
}

void TimelineView::end_head_drag(Timeline& timeline) {
    if (!drag_.drop || drag_.head.kind == Kind::lane_edge) return;
    LaneArrangement& arrangement = timeline.arrangement;
    if (drag_.head.kind == Kind::group)
        place_group(arrangement, timeline.trace(), drag_.head.group, drag_.drop->neighbor.group,
                    drag_.drop->after);
    else if (drag_.pinned)
        place_pinned(arrangement.pinned, drag_.head.lane, drag_.drop->neighbor.lane,
                     drag_.drop->after);
    else
        place_lane(arrangement, timeline.trace(), drag_.head.lane, drag_.drop->neighbor.lane,
                   drag_.drop->after);
}

void TimelineView::click_head(Timeline& timeline, Requests& requests) {
    LaneArrangement& arrangement = timeline.arrangement;
    if (drag_.head.kind == Kind::group) toggle(arrangement.folded_groups, drag_.head.group);
    if (drag_.head.kind == Kind::lane && is_foldable(timeline.trace().lanes[drag_.head.lane]))
        toggle(arrangement.folded, drag_.head.lane);
    if (drag_.head.kind == Kind::more_lanes) show_quiet_lanes(timeline, drag_.head.group);
    if (drag_.head.kind == Kind::hidden_lanes) requests.add(ShowPanel{kLanesPanel});
}

}  // namespace lanescope
