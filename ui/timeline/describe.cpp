#include "ui/timeline/describe.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "core/trace/derived_lanes.h"
#include "core/view/first_arrangement.h"
#include "ui/timeline/hover_card.h"

namespace lanescope {

using nlohmann::json;

namespace {

json box_of(const Box& box) {
    return {box.x0, box.y0, box.x1, box.y1};
}

json rows_of(const LaneLayout& layout, const Box& area, double scroll_y) {
    json rows = json::array();
    for (const LayoutRow& row : layout.rows) {
        if (row.kind != RowKind::slices) continue;
        const double y = area.y0 + row.y - scroll_y + row.height / 2;
        if (y < area.y0 || y > area.y1) continue;
        rows.push_back({{"lane", layout.lanes[row.lane].name},
                        {"lane_id", layout.lanes[row.lane].id},
                        {"depth", row.depth},
                        {"outer", row.outer},
                        {"y", y}});
    }
    return rows;
}

json heads_of(const Timeline& timeline, const LaneLayout& layout, const Box& area,
              double scroll_y) {
    json heads = json::array();
    for (const GroupBox& group : layout.groups) {
        const LayoutRow& row = layout.rows[group.head_row];
        heads.push_back({{"name", group.name},
                         {"collapsed", group.collapsed},
                         {"line", group_line(timeline, group)},
                         {"folded_line", folded_line(timeline, group)},
                         {"y", area.y0 + row.y - scroll_y + row.height / 2}});
    }
    return heads;
}

void describe_view(const Timeline& timeline, json& state) {
    const Trace& trace = timeline.trace();
    const auto range_of = [&](const Viewport& view) {
        const double start = static_cast<double>(view.start - trace.origin) + view.fraction;
        return json{start, start + view.span};
    };
    const TimeRange content = timeline.camera.content();
    state["events"] = trace.facts.events;
    state["warnings"] = trace.warnings.size();
    state["range"] = range_of(timeline.camera.view());
    state["target_range"] = range_of(timeline.camera.target());
    state["content"] = {content.begin - trace.origin, content.end - trace.origin};
    state["scroll_y"] = timeline.scroll_y;
    state["overview"] = box_of({timeline.areas.lanes.x0, timeline.areas.overview.y0,
                                timeline.areas.overview.x1, timeline.areas.overview.y1});
    state["heads"] = box_of(timeline.areas.heads);
    state["lanes"] = box_of(timeline.areas.lanes);
    state["lane_map"] = box_of(timeline.areas.lane_map);
    state["groups"] = heads_of(timeline, timeline.layout, timeline.areas.lanes, timeline.scroll_y);
    state["rows"] = rows_of(timeline.layout, timeline.areas.lanes, timeline.scroll_y);
    const PinnedLanes& pinned = timeline.pinned;
    state["pinned_area"] = box_of(pinned.lanes);
    state["pinned_groups"] = heads_of(timeline, pinned.layout, pinned.lanes, pinned.scroll_y);
    state["pinned_rows"] = rows_of(pinned.layout, pinned.lanes, pinned.scroll_y);
    state["curve_value"] = nullptr;
    if (timeline.hovered.kind == HitKind::counter)
        state["curve_value"] = {{"lane_id", timeline.hovered.lane},
                                {"time", timeline.hovered.time - trace.origin},
                                {"value", timeline.hovered.value}};
}

void describe_hover(const Timeline& timeline, json& state) {
    state["hover"] = nullptr;
    if (const HoverCard card = hover_card(timeline); !card.kind.empty()) {
        json lines = json::object();
        for (const HoverLine& line : card.lines) lines[line.label] = line.value;
        state["hover"] = {{"name", card.name}, {"kind", card.kind}, {"lines", lines}};
    }
}

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

std::string_view kind_of(const Trace& trace, const Lane& lane, std::string_view name) {
    if (const DerivedLane* const derived = declaration_of(trace, lane)) return derived->kind;
    switch (lane.kind) {
        case LaneKind::thread:
            return "thread";
        case LaneKind::stream:
            return "stream";
        case LaneKind::counter:
            return name.find("memory") != std::string_view::npos ||
                           name.find("Memory") != std::string_view::npos
                       ? "memory"
                       : "counter";
        case LaneKind::samples:
            return "samples";
        case LaneKind::replay:
            return "replay";
        case LaneKind::async:
            break;
    }
    return "other";
}

// Lists what is at least partly visible of one area.
class LanesInView {
  public:
    LanesInView(const Timeline& timeline, const LaneLayout& layout, const Box& area,
                double scroll_y, const std::vector<uint32_t>& work, json& list)
        : trace_(timeline.trace()),
          layout_(layout),
          area_(area),
          scroll_y_(scroll_y),
          work_(work),
          list_(list) {}

    void add_all() {
        for (const GroupBox& group : layout_.groups)
            if (group.collapsed) add_folded(group);
        for (const LaneBox& lane : layout_.lanes)
            if (!lane.in_head)
                add(lane.name, kind_of(trace_, trace_.lanes[lane.id], lane.name), work_[lane.id],
                    lane.y, lane.height);
    }

  private:
    void add_folded(const GroupBox& group) {
        uint64_t work = 0;
        for (uint32_t lane = group.lane_begin; lane < group.lane_end; ++lane)
            work += work_[layout_.lanes[lane].id];
        add(group.name, group.is_gpu ? "device" : "process", work, group.y, group.height);
    }

    void add(const std::string& name, std::string_view kind, uint64_t kernels, double y,
             double height) {
        const double top = std::max<double>(area_.y0, area_.y0 + y - scroll_y_);
        const double bottom = std::min<double>(area_.y1, area_.y0 + y + height - scroll_y_);
        if (bottom <= top) return;
        list_.push_back({{"name", name},
                         {"kind", kind},
                         {"kernels", kernels},
                         {"top", top},
                         {"bottom", bottom},
                         {"pinned", layout_.docked}});
    }

    const Trace& trace_;
    const LaneLayout& layout_;
    const Box& area_;
    double scroll_y_;
    const std::vector<uint32_t>& work_;
    json& list_;
};

json lanes_in_view(const Timeline& timeline) {
    json list = json::array();
    for (const auto& layer : timeline.layers)
        if (const LayerStrip strip = layer->strip(); strip.box.height() > 0)
            list.push_back({{"name", strip.name},
                            {"kind", strip.kind},
                            {"kernels", 0},
                            {"top", strip.box.y0},
                            {"bottom", strip.box.y1},
                            {"pinned", true}});
    const std::vector<uint32_t> work = gpu_work_of_lanes(timeline.trace());
    LanesInView(timeline, timeline.layout, timeline.areas.lanes, timeline.scroll_y, work, list)
        .add_all();
    const PinnedLanes& pinned = timeline.pinned;
    LanesInView(timeline, pinned.layout, pinned.lanes, pinned.scroll_y, work, list).add_all();
    return list;
}

}  // namespace

void describe_timeline(const Timeline& timeline, json& state) {
    describe_view(timeline, state);
    describe_hover(timeline, state);
    for (const auto& layer : timeline.layers) layer->describe(timeline, state);
}

void describe_lanes(const Timeline& timeline, json& state) {
    const LaneArrangement& arrangement = timeline.arrangement;
    state["lane_boxes"] = lanes_of(timeline.layout, timeline.areas.lanes, timeline.scroll_y);
    state["pinned"] =
        lanes_of(timeline.pinned.layout, timeline.pinned.lanes, timeline.pinned.scroll_y);
    state["lanes_in_view"] = lanes_in_view(timeline);
    state["layout_height"] = timeline.layout.height;
    state["hidden_lanes"] = timeline.layout.hidden;
    const ShownLanesPtr& shown = timeline.index->shown;
    state["python_frames"] = python_shown_name(shown ? shown->filter.python : PythonShown::all);
    state["short_hidden"] = shown && shown->filter.hide_short;
    state["by_stream"] = arrangement.grouping == LaneGrouping::stream;
}

}  // namespace lanescope
