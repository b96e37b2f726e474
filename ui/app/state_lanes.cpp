#include "ui/app/state_lanes.h"

#include <nlohmann/json.hpp>

namespace lanescope {

using nlohmann::json;

namespace {

json lanes_of(const LaneLayout& layout, const Box& area, double scroll_y) {
    json lanes = json::array();
    for (const LaneBox& lane : layout.lanes) {
        const double y = area.y0 + lane.y - scroll_y;
        lanes.push_back({{"id", lane.id},
                         {"name", lane.name},
                         {"detail", lane.detail},
                         {"group", layout.groups[lane.group].name},
                         {"collapsed", lane.collapsed},
                         {"rows", lane.row_end - lane.row_begin},
                         {"y0", y},
                         {"y1", y + lane.height}});
    }
    return lanes;
}

}  // namespace

void add_lanes(json& state, const Timeline& timeline, const LanesTable& table) {
    const LaneArrangement& arrangement = timeline.arrangement;
    constexpr const char* python[] = {"all", "modules", "none"};
    state["lane_boxes"] = lanes_of(timeline.layout, timeline.areas.lanes, timeline.scroll_y);
    state["pinned"] =
        lanes_of(timeline.pinned.layout, timeline.pinned.lanes, timeline.pinned.scroll_y);
    state["layout_height"] = timeline.layout.height;
    state["hidden_lanes"] = timeline.layout.hidden;
    const ShownLanesPtr& shown = timeline.index->shown;
    state["python_frames"] =
        python[static_cast<std::size_t>(shown ? shown->filter.python : PythonShown::all)];
    state["short_hidden"] = shown && shown->filter.hide_short;
    state["by_stream"] = arrangement.grouping == LaneGrouping::stream;
    state["lanes_panel"] = {{"lanes", table.shown()},
                            {"first_row_y", table.first_row_y()},
                            {"filter", {table.filter_place().x, table.filter_place().y}}};
}

}  // namespace lanescope
