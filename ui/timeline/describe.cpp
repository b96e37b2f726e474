#include "ui/timeline/describe.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "core/view/first_arrangement.h"
#include "ui/timeline/hover_card.h"
#include "ui/timeline/navigation.h"

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

json landmarks_of(const Timeline& timeline) {
    json list = json::array();
    if (!timeline.landmarks) return list;
    const Nanos origin = timeline.trace().origin;
    for (std::size_t i = 0; i < timeline.landmark_places.size(); ++i) {
        const Landmark& one = (*timeline.landmarks)[i];
        list.push_back({{"kind", landmark_kind_name(one.kind)},
                        {"text", one.text},
                        {"begin", one.time.begin - origin},
                        {"end", one.time.end - origin},
                        {"box", box_of(timeline.landmark_places[i])}});
    }
    return list;
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
    state["marked"] = nullptr;
    if (timeline.marked) {
        state["marked"] = {{"begin", timeline.marked->time.begin - trace.origin},
                           {"end", timeline.marked->time.end - trace.origin},
                           {"lanes", timeline.marked->lanes},
                           {"slices", nullptr}};
        if (timeline.marked->slices) state["marked"]["slices"] = *timeline.marked->slices;
    }
}

void describe_layers(const Timeline& timeline, json& state) {
    const Trace& trace = timeline.trace();
    state["idle_shown"] = timeline.idle_shown;
    state["flows"] = {{"shown", timeline.flows_shown},
                      {"drawn", timeline.flows.drawn},
                      {"all", timeline.flows.all}};
    state["path"] = {{"shown", timeline.path_shown},
                     {"steps", timeline.paths ? json(timeline.paths->size()) : json()}};
    state["landmarks"] = landmarks_of(timeline);
    state["idle_known"] = timeline.idle != nullptr;
    state["idle"] = json::array();
    for (const ShownIdle& idle : timeline.shown_idle)
        state["idle"].push_back({{"lane_id", idle.lane},
                                 {"depth", idle.depth},
                                 {"start", idle.span.begin - trace.origin},
                                 {"duration", idle.span.length()},
                                 {"cause", idle.cause ? json(short_cause(*idle.cause)) : json()},
                                 {"device_idle", idle.cause ? json(idle.device_idle) : json()},
                                 {"x", (std::max(idle.box.x0, timeline.areas.lanes.x0) +
                                        std::min(idle.box.x1, timeline.areas.lanes.x1)) /
                                           2},
                                 {"y", (idle.box.y0 + idle.box.y1) / 2}});
}

void describe_slices(const Timeline& timeline, json& state) {
    const Trace& trace = timeline.trace();
    state["chain"] = json::array();
    for (const SliceRef slice : chain_of(trace, timeline.selected))
        state["chain"].push_back(trace.name(slice));
    state["hover"] = nullptr;
    if (const HoverCard card = hover_card(timeline); !card.kind.empty()) {
        json lines = json::object();
        for (const HoverLine& line : card.lines) lines[line.label] = line.value;
        state["hover"] = {{"name", card.name}, {"kind", card.kind}, {"lines", lines}};
    }
    state["alike"] = nullptr;
    if (timeline.alike) {
        const Alike& alike = *timeline.alike;
        state["alike"] = {{"name", alike.name},
                          {"count", alike.slices.size()},
                          {"total", alike.total},
                          {"place", nullptr}};
        if (const std::size_t at = alike.place(trace, timeline.selected); at != Alike::nowhere)
            state["alike"]["place"] = at;
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

std::string_view kind_of(const Lane& lane, std::string_view name) {
    if (lane.derived) return "queue";
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
                add(lane.name, kind_of(trace_.lanes[lane.id], lane.name), work_[lane.id], lane.y,
                    lane.height);
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
    const Box& steps = timeline.areas.steps;
    if (steps.height() > 0)
        list.push_back({{"name", "Steps"},
                        {"kind", "steps"},
                        {"kernels", 0},
                        {"top", steps.y0},
                        {"bottom", steps.y1},
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
    json& queries = state["query_lanes"] = json::array();
    for (const QueryStrip& strip : timeline.queries)
        queries.push_back(
            {{"name", strip.lane->name},
             {"rows", strip.rows},
             {"count", strip.lane->shown},
             {"left_out", strip.lane->left_out},
             {"box", {strip.box.x0, strip.box.y0, strip.box.x1, strip.box.y1}},
             {"remove", {strip.remove.x0, strip.remove.y0, strip.remove.x1, strip.remove.y1}}});
    describe_view(timeline, state);
    describe_layers(timeline, state);
    describe_slices(timeline, state);
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
