// The pointer on heads: a click folds, a drag moves a lane or group, dragging the lower edge sets a
// height, the right button opens a menu.
#include <algorithm>
#include <cmath>
#include <set>

#include "ui/commands/panel_names.h"
#include "ui/timeline/timeline.h"

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
    if (target.kind == Kind::lane_edge && drag_ == Drag::none)
        ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
    if (target.kind == Kind::hidden_lanes || target.kind == Kind::more_lanes)
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
}

bool TimelineView::begin_head_drag(Timeline& timeline, const Look& look, Requests& requests) {
    const HeadTarget target = head_at(timeline, look, drag_from_);
    if (target.kind == Kind::nothing || drag_button_ == 2) return false;
    if (drag_button_ == 1) {
        requests.add(OpenHeadMenu{target});
        return true;
    }
    head_ = target;
    drag_ = target.kind == Kind::lane_edge ? Drag::lane_height : Drag::head;
    if (const LaneBox* box = box_of(timeline.layout, target.lane))
        height_at_first_ = rows_height(timeline.layout, *box, Measures{}.row_gap * measured_scale_);
    return true;
}

// The place to which the dragged head would move: beside another lane of its group, or beside
// another group.
void TimelineView::drag_head(Timeline& timeline, const Look& look) {
    drop_.reset();
    if (head_.kind != Kind::lane && head_.kind != Kind::group) return;
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
    const Box& heads = timeline.areas.heads;
    const ImVec2 mouse{heads.x0 + 1, std::clamp(ImGui::GetIO().MousePos.y, heads.y0, heads.y1 - 1)};
    HeadTarget neighbor = head_at(timeline, look, mouse);
    if (neighbor.kind == Kind::lane_edge) neighbor.kind = Kind::lane;
    if (head_.kind == Kind::group && neighbor.kind == Kind::lane) {
        const auto group =
            std::ranges::find(timeline.layout.groups, neighbor.group, &GroupBox::key);
        neighbor.kind = Kind::group;
        neighbor.y0 = heads.y0 + static_cast<float>(group->y - timeline.scroll_y);
        neighbor.y1 = neighbor.y0 + static_cast<float>(group->height);
    }
    if (neighbor.kind != head_.kind) return;
    if (head_.kind == Kind::lane && neighbor.group != head_.group) return;
    const bool after = mouse.y > (neighbor.y0 + neighbor.y1) / 2;
    drop_ = Drop{neighbor, after, after ? neighbor.y1 : neighbor.y0};
}

void TimelineView::draw_drop(Timeline& timeline, const Look& look) {
    if (!drop_ || drag_ != Drag::head) return;
    const Box& heads = timeline.areas.heads;
    if (drop_->y < heads.y0 || drop_->y > heads.y1) return;
    const float y = std::round(drop_->y);
    ImGui::GetWindowDrawList()->AddRectFilled(
        {heads.x0, y - look.px(1)}, {timeline.areas.lanes.x1, y + look.px(1)}, look.colors.accent);
}

void TimelineView::drag_lane_height(Timeline& timeline) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
    const LaneBox* box = box_of(timeline.layout, head_.lane);
    if (!box) return;
    const Lane& lane = shown_lane(timeline.trace(), timeline.index->shown, head_.lane);
    const double wanted = height_at_first_ + (ImGui::GetIO().MousePos.y - drag_from_.y);
    const Measures measures = scaled(Measures{}, measured_scale_);
    const double one = lane.counter                    ? measures.counter_row
                       : lane.kind == LaneKind::stream ? measures.kernel_row
                                                       : measures.slice_row;
    set_lane_height(timeline.arrangement, head_.lane, lane, wanted / one);
}

void TimelineView::end_head_drag(Timeline& timeline) {
    if (!drop_ || head_.kind == Kind::lane_edge) return;
    LaneArrangement& arrangement = timeline.arrangement;
    if (head_.kind == Kind::group)
        place_group(arrangement, timeline.trace(), head_.group, drop_->neighbor.group,
                    drop_->after);
    else if (drag_pinned_)
        place_pinned(arrangement.pinned, head_.lane, drop_->neighbor.lane, drop_->after);
    else
        place_lane(arrangement, timeline.trace(), head_.lane, drop_->neighbor.lane, drop_->after);
}

void TimelineView::click_head(Timeline& timeline, Requests& requests) {
    LaneArrangement& arrangement = timeline.arrangement;
    if (head_.kind == Kind::group) toggle(arrangement.folded_groups, head_.group);
    if (head_.kind == Kind::lane && is_foldable(timeline.trace().lanes[head_.lane]))
        toggle(arrangement.folded, head_.lane);
    if (head_.kind == Kind::more_lanes) show_quiet_lanes(timeline, head_.group);
    if (head_.kind == Kind::hidden_lanes) requests.add(ShowPanel{kLanesPanel});
}

}  // namespace lanescope
