// The menu of a lane's or group's head: opened by a right click, or by a key for the lane in
// question.
#include <algorithm>
#include <utility>

#include "core/base/format.h"
#include "ui/commands/panel_names.h"
#include "ui/features/lanes.h"
#include "ui/look/floating.h"

namespace lanescope {

namespace {

using Kind = HeadTarget::Kind;

bool holds(const std::vector<LaneId>& lanes, LaneId lane) {
    return std::ranges::count(lanes, lane) > 0;
}

// Keys act on the lane under the pointer; the menu on the lane that it was opened for.
void lane_item(const char* title, Action action, LaneId lane, Frame& frame) {
    if (!ImGui::MenuItem(title, keys_of(frame.keys, action).c_str())) return;
    act_on_lane(frame.timeline, action, lane);
}

}  // namespace

void LanesFeature::draw_lane_items(LaneArrangement& arrangement, Frame& frame) {
    const LaneId lane = menu_of_.lane;
    const bool deep = is_foldable(frame.timeline.trace().lanes[lane]);
    if (deep)
        lane_item(arrangement.folded.contains(lane) ? "Unfold" : "Fold", Action::fold_lane, lane,
                  frame);
    lane_item(holds(arrangement.pinned, lane) ? "Unpin" : "Pin below the others", Action::pin_lane,
              lane, frame);
    lane_item("Hide", Action::hide_lane, lane, frame);
    if (ImGui::MenuItem("Hide the others of its group")) {
        const std::vector<LaneGroup> groups = lane_groups(frame.timeline.trace(), arrangement);
        if (const LaneGroup* group = group_of(groups, lane)) {
            arrangement.hidden.insert(group->lanes.begin(), group->lanes.end());
            arrangement.hidden.erase(lane);
        }
    }
    lane_item("Move up", Action::lane_up, lane, frame);
    lane_item("Move down", Action::lane_down, lane, frame);
    lane_item("Higher", Action::lane_higher, lane, frame);
    lane_item("Lower", Action::lane_lower, lane, frame);
    const bool sized =
        arrangement.most_rows.contains(lane) || arrangement.curve_heights.contains(lane);
    if (ImGui::MenuItem("Usual height", nullptr, false, sized)) {
        arrangement.most_rows.erase(lane);
        arrangement.curve_heights.erase(lane);
    }
    if (ImGui::BeginMenu("Its group")) {
        draw_group_items(arrangement, frame);
        ImGui::EndMenu();
    }
}

void LanesFeature::draw_group_items(LaneArrangement& arrangement, Frame& frame) {
    const std::string& key = menu_of_.group;
    const std::vector<LaneGroup> groups = lane_groups(frame.timeline.trace(), arrangement);
    const auto group = std::ranges::find(groups, key, &LaneGroup::key);
    const bool folded = arrangement.folded_groups.contains(key);
    if (ImGui::MenuItem(folded ? "Unfold" : "Fold")) {
        if (!arrangement.folded_groups.erase(key)) arrangement.folded_groups.insert(key);
    }
    if (group == groups.end()) return;
    const auto is_pinned = [&](LaneId lane) { return holds(arrangement.pinned, lane); };
    if (std::ranges::all_of(group->lanes, is_pinned)) {
        if (ImGui::MenuItem("Unpin its lanes"))
            std::erase_if(arrangement.pinned,
                          [&](LaneId lane) { return holds(group->lanes, lane); });
    } else if (ImGui::MenuItem("Pin its lanes below the others")) {
        for (const LaneId lane : group->lanes)
            if (!is_pinned(lane)) arrangement.pinned.push_back(lane);
    }
    if (ImGui::MenuItem("Hide its lanes"))
        arrangement.hidden.insert(group->lanes.begin(), group->lanes.end());
    const bool some_hidden = std::ranges::any_of(
        group->lanes, [&](LaneId lane) { return arrangement.hidden.contains(lane); });
    if (ImGui::MenuItem("Show its lanes", nullptr, false, some_hidden))
        for (const LaneId lane : group->lanes) arrangement.hidden.erase(lane);
    // Past the next group in the same area: others may have no lanes there.
    const Timeline& timeline = frame.timeline;
    const bool in_main = std::ranges::count(timeline.layout.groups, key, &GroupBox::key) > 0;
    const LaneLayout& area = in_main ? timeline.layout : timeline.pinned.layout;
    const GroupBox* const above = neighbour_group(area, key, -1);
    const GroupBox* const below = neighbour_group(area, key, 1);
    if (ImGui::MenuItem("Move up", nullptr, false, above))
        place_group(arrangement, timeline.trace(), key, above->key, false);
    if (ImGui::MenuItem("Move down", nullptr, false, below))
        place_group(arrangement, timeline.trace(), key, below->key, true);
}

// Below the lane's head, if that is in view.
void LanesFeature::ask_for_menu(Frame& frame) {
    const auto lane = frame.timeline.index ? lane_meant(frame.timeline) : std::nullopt;
    const PinnedScope scope(frame.timeline,
                            lane && holds(frame.timeline.arrangement.pinned, *lane));
    const LaneLayout& layout = frame.timeline.layout;
    const auto box =
        lane ? std::ranges::find(layout.lanes, *lane, &LaneBox::id) : layout.lanes.end();
    if (box == layout.lanes.end()) {
        frame.notify("Point at a lane, select one of its slices or go to it by name (" +
                     keys_of(frame.keys, Action::go_to_lane) + ") first.");

        return;
    }
    const Box& heads = frame.timeline.areas.heads;
    menu_of_ = {Kind::lane, *lane, layout.groups[box->group].key};
    const auto y = static_cast<float>(heads.y0 + box->y - frame.timeline.scroll_y);
    menu_at_ = ImVec2{heads.x0 + frame.look.px(40), std::clamp(y, heads.y0, heads.y1)};
}

void LanesFeature::draw_on_timeline(ImVec2 /*min*/, ImVec2 /*max*/, Frame& frame) {
    draw_menu_of_head(frame);
}

void LanesFeature::draw_menu_of_head(Frame& frame) {
    const std::optional<OpenHeadMenu> asked = frame.requests.take<OpenHeadMenu>();
    if (asked) menu_of_ = asked->target;
    if (asked || menu_at_) open_popup("head menu", std::exchange(menu_at_, std::nullopt));
    const Look& look = frame.look;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {look.px(8), look.px(8)});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(8), look.px(8)});
    if (ImGui::BeginPopup("head menu")) {
        const Kind kind = menu_of_.kind;
        const bool of_lane = kind == Kind::lane || kind == Kind::lane_edge;
        arrange(frame.timeline, [&](LaneArrangement& arrangement) {
            if (frame.timeline.index && of_lane) draw_lane_items(arrangement, frame);
            if (frame.timeline.index && kind == Kind::group) draw_group_items(arrangement, frame);
            if (kind != Kind::hidden_lanes) ImGui::Separator();
            draw_filter_items(arrangement, frame);
        });
        ImGui::EndPopup();
    }
    ImGui::PopStyleVar(2);
}

void LanesFeature::draw_filter_items(LaneArrangement& arrangement, Frame& frame) {
    const auto item = [&frame](const char* title, Action action, bool on) {
        if (ImGui::MenuItem(title, keys_of(frame.keys, action).c_str(), on))
            frame.requests.act(action);
    };
    const auto python = [&](const char* title, PythonShown shown) {
        const bool next = next_python(arrangement.filter.python) == shown;
        const std::string key = next ? keys_of(frame.keys, Action::python_frames) : "";
        if (ImGui::MenuItem(title, key.c_str(), arrangement.filter.python == shown))
            arrangement.filter.python = shown;
    };
    python("Python frames: modules only", PythonShown::modules);
    python("Python frames: modules and my code", PythonShown::own);
    python("Python frames: all", PythonShown::all);
    python("Python frames: none", PythonShown::none);
    item("Hide slices shorter than 1 µs", Action::short_slices, arrangement.filter.hide_short);
    item("Show all rows in every view", Action::all_rows, arrangement.all_rows);
    item("Streams of the same number together", Action::group_by_stream,
         arrangement.grouping == LaneGrouping::stream);
    ImGui::Separator();
    if (ImGui::MenuItem("Show all hidden lanes",
                        keys_of(frame.keys, Action::show_all_lanes).c_str(), false,
                        !arrangement.hidden.empty()))
        arrangement.hidden.clear();
    if (ImGui::MenuItem("List of lanes")) frame.requests.add(ShowPanel{kLanesPanel});
    item("Reset the arrangement of all lanes", Action::reset_lanes, false);
}

}  // namespace lanescope
