// The menu of a lane's or group's head: opened by a right click, or by a key for the lane in
// question.
#include <algorithm>
#include <utility>

#include "core/base/format.h"
#include "ui/app/app.h"
#include "ui/look/floating.h"

namespace lanescope {

namespace {

using Kind = HeadTarget::Kind;

bool holds(const std::vector<LaneId>& lanes, LaneId lane) {
    return std::ranges::count(lanes, lane) > 0;
}

}  // namespace

// Keys act on the lane under the pointer; the menu on the lane that it was opened for.
void App::lane_item(const char* title, Action action) {
    if (!ImGui::MenuItem(title, keys_of(keys_, action).c_str())) return;
    timeline_.pointed_lane = timeline_.head_menu.lane;
    act_on_lanes(timeline_, action);
}

void App::draw_lane_items() {
    LaneArrangement& to = timeline_.arrangement;
    const LaneId lane = timeline_.head_menu.lane;
    const bool deep = is_foldable(timeline_.trace().lanes[lane]);
    if (deep) lane_item(to.folded.contains(lane) ? "Unfold" : "Fold", Action::fold_lane);
    lane_item(holds(to.pinned, lane) ? "Let it go from the top" : "Pin to the top",
              Action::pin_lane);
    lane_item("Hide", Action::hide_lane);
    if (ImGui::MenuItem("Hide the others of its group")) {
        const std::vector<LaneGroup> groups = lane_groups(timeline_.trace(), to);
        if (const LaneGroup* group = group_of(groups, lane)) {
            to.hidden.insert(group->lanes.begin(), group->lanes.end());
            to.hidden.erase(lane);
        }
    }
    lane_item("Move up", Action::lane_up);
    lane_item("Move down", Action::lane_down);
    lane_item("Higher", Action::lane_higher);
    lane_item("Lower", Action::lane_lower);
    const bool sized = to.most_rows.contains(lane) || to.curve_heights.contains(lane);
    if (ImGui::MenuItem("Usual height", nullptr, false, sized)) {
        to.most_rows.erase(lane);
        to.curve_heights.erase(lane);
    }
    if (ImGui::BeginMenu("Its group")) {
        draw_group_items();
        ImGui::EndMenu();
    }
}

void App::draw_group_items() {
    LaneArrangement& to = timeline_.arrangement;
    const std::string& key = timeline_.head_menu.group;
    const std::vector<LaneGroup> groups = lane_groups(timeline_.trace(), to);
    const auto group = std::ranges::find(groups, key, &LaneGroup::key);
    const bool folded = to.folded_groups.contains(key);
    if (ImGui::MenuItem(folded ? "Unfold" : "Fold")) {
        if (!to.folded_groups.erase(key)) to.folded_groups.insert(key);
    }
    if (group == groups.end()) {  // the pinned lanes
        if (ImGui::MenuItem("Let all go")) to.pinned.clear();
        return;
    }
    if (ImGui::MenuItem("Hide its lanes"))
        to.hidden.insert(group->lanes.begin(), group->lanes.end());
    const bool some_hidden =
        std::ranges::any_of(group->lanes, [&](LaneId lane) { return to.hidden.contains(lane); });
    if (ImGui::MenuItem("Show its lanes", nullptr, false, some_hidden))
        for (const LaneId lane : group->lanes) to.hidden.erase(lane);
    if (ImGui::MenuItem("Move up", nullptr, false, group != groups.begin()))
        place_group(to, timeline_.trace(), key, (group - 1)->key, false);
    if (ImGui::MenuItem("Move down", nullptr, false, group + 1 != groups.end()))
        place_group(to, timeline_.trace(), key, (group + 1)->key, true);
}

// Below the lane's head, if that is in view.
void App::ask_for_head_menu() {
    const LaneLayout& layout = timeline_.layout;
    const auto lane = timeline_.index ? lane_meant(timeline_) : std::nullopt;
    const auto box =
        lane ? std::ranges::find(layout.lanes, *lane, &LaneBox::id) : layout.lanes.end();
    if (box == layout.lanes.end()) {
        notify("Point at a lane, select one of its slices or go to it by name (" +
                   keys_of(keys_, Action::go_to_lane) + ") first.",
               now_);
        return;
    }
    const Box& heads = timeline_.areas.heads;
    timeline_.head_menu = {Kind::lane, *lane, layout.groups[box->group].key};
    const auto y = static_cast<float>(heads.y0 + box->y - timeline_.scroll_y);
    head_menu_at_ = ImVec2{heads.x0 + look_.px(40), std::clamp(y, heads.y0, heads.y1)};
}

void App::draw_head_menu() {
    if (requests_.head_menu || head_menu_at_)
        open_popup("head menu", std::exchange(head_menu_at_, std::nullopt));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {look_.px(8), look_.px(8)});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look_.px(8), look_.px(8)});
    if (ImGui::BeginPopup("head menu")) {
        LaneArrangement& to = timeline_.arrangement;
        const Kind kind = timeline_.head_menu.kind;
        const bool of_lane = kind == Kind::lane || kind == Kind::lane_edge;
        if (timeline_.index && of_lane) draw_lane_items();
        if (timeline_.index && kind == Kind::group) draw_group_items();
        if (kind != Kind::hidden_lanes) ImGui::Separator();
        const auto item = [this](const char* title, Action action, bool on) {
            if (ImGui::MenuItem(title, keys_of(keys_, action).c_str(), on)) requests_.act(action);
        };
        const auto python = [&](const char* title, PythonShown shown) {
            // The key cycles through the three.
            const bool next =
                (static_cast<int>(to.filter.python) + 1) % 3 == static_cast<int>(shown);
            const std::string key = next ? keys_of(keys_, Action::python_frames) : "";
            if (ImGui::MenuItem(title, key.c_str(), to.filter.python == shown))
                to.filter.python = shown;
        };
        python("Python frames: all", PythonShown::all);
        python("Python frames: modules only", PythonShown::modules);
        python("Python frames: none", PythonShown::none);
        item("Hide slices shorter than 1 µs", Action::short_slices, to.filter.hide_short);
        item("Streams of the same number together", Action::group_by_stream,
             to.grouping == LaneGrouping::stream);
        ImGui::Separator();
        if (ImGui::MenuItem("Show all hidden lanes", keys_of(keys_, Action::show_all_lanes).c_str(),
                            false, !to.hidden.empty()))
            to.hidden.clear();
        if (ImGui::MenuItem("List of lanes")) requests_.show_lanes_panel = true;
        item("All lanes as they were at first", Action::lanes_as_at_first, false);
        ImGui::EndPopup();
    }
    ImGui::PopStyleVar(2);
}

}  // namespace lanescope
