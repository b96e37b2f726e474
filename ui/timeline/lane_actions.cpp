// Commands that arrange the lanes.
#include <algorithm>
#include <utility>

#include "ui/timeline/timeline.h"

namespace lanescope {

namespace {

// Folds all groups, of pinned lanes too; if all are folded, unfolds them.
void fold_all(Timeline& timeline) {
    std::set<std::string> keys;
    bool any_open = false;
    for (const LaneLayout* layout : {&timeline.layout, &timeline.pinned.layout})
        for (const GroupBox& group : layout->groups) {
            keys.insert(group.key);
            any_open |= !group.collapsed;
        }
    if (!any_open) keys.clear();
    timeline.arrangement.folded_groups = std::move(keys);
}

}  // namespace

void act_on_lane(Timeline& timeline, Action action, LaneId lane) {
    LaneArrangement& arrangement = timeline.arrangement;
    switch (action) {
        case Action::fold_lane:
            if (!arrangement.folded.erase(lane)) arrangement.folded.insert(lane);
            break;
        case Action::pin_lane:
            toggle_pin(arrangement, lane);
            break;
        case Action::hide_lane:
            arrangement.hidden.insert(lane);
            if (timeline.selected.lane == lane) timeline.selected = {};
            break;
        case Action::lane_up:
        case Action::lane_down:
            move_lane(arrangement, timeline.trace(), lane, action == Action::lane_up ? -1 : 1);
            break;
        case Action::lane_higher:
        case Action::lane_lower: {
            const Lane& shown = shown_lane(timeline.trace(), timeline.index->shown, lane);
            const double step = shown.counter ? 0.5 : 1;
            const double height = lane_height(arrangement, lane, shown);
            set_lane_height(arrangement, lane, shown,
                            action == Action::lane_higher ? height + step : height - step);
            break;
        }
        default:
            break;
    }
}

PythonShown next_python(PythonShown python) {
    if (python == PythonShown::modules) return PythonShown::own;
    return python == PythonShown::own ? PythonShown::all : PythonShown::modules;
}

void show_quiet_lanes(Timeline& timeline, const std::string& key) {
    LaneArrangement& arrangement = timeline.arrangement;
    const std::vector<LaneGroup> groups = lane_groups(timeline.trace(), arrangement);
    const auto group = std::ranges::find(groups, key, &LaneGroup::key);
    if (group == groups.end()) return;
    bool any_shown = false;
    for (const LaneId lane : group->lanes)
        if (arrangement.quiet.erase(lane) > 0)
            any_shown |= !is_empty_lane(shown_lane(timeline.trace(), timeline.index->shown, lane));
    if (!any_shown) arrangement.filter.python = PythonShown::all;
}

std::optional<LaneId> lane_meant(const Timeline& timeline) {
    if (timeline.pointed_lane) return timeline.pointed_lane;
    if (timeline.selected) return timeline.selected.lane;
    return std::nullopt;
}

bool act_on_lanes(Timeline& timeline, Action action) {
    LaneArrangement& arrangement = timeline.arrangement;
    switch (action) {
        case Action::fold_lane:
        case Action::pin_lane:
        case Action::hide_lane:
        case Action::lane_up:
        case Action::lane_down:
        case Action::lane_higher:
        case Action::lane_lower:
            if (const auto lane = lane_meant(timeline)) act_on_lane(timeline, action, *lane);
            return true;
        case Action::fold_all:
            fold_all(timeline);
            return true;
        case Action::show_all_lanes:
            arrangement.hidden.clear();
            return true;
        case Action::python_frames:
            arrangement.filter.python = next_python(arrangement.filter.python);
            return true;
        case Action::short_slices:
            arrangement.filter.hide_short = !arrangement.filter.hide_short;
            return true;
        case Action::all_rows:
            arrangement.all_rows = !arrangement.all_rows;
            return true;
        case Action::group_by_stream:
            arrangement.grouping = arrangement.grouping == LaneGrouping::stream
                                       ? LaneGrouping::process
                                       : LaneGrouping::stream;
            return true;
        case Action::reset_lanes:
            arrangement = *timeline.index->first;
            return true;
        default:
            return false;
    }
}

}  // namespace lanescope
