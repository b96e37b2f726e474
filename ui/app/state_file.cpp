#include "ui/app/state_file.h"

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/analysis/work/footprints.h"
#include "core/export/table_writer.h"
#include "ui/app/state_attach.h"
#include "ui/app/state_colors.h"
#include "ui/app/state_lanes.h"
#include "ui/app/state_models.h"
#include "ui/app/state_record.h"
#include "ui/app/state_traces.h"
#include "ui/timeline/hover_card.h"
#include "ui/timeline/navigation.h"

namespace lanescope {

using nlohmann::json;

namespace {

json box_of(const Box& box) {
    return {box.x0, box.y0, box.x1, box.y1};
}

json tab_list_of(const TabList& list) {
    json result = {{"button", nullptr}, {"lines", json::object()}};
    if (list.button()) result["button"] = {list.button()->x, list.button()->y};
    for (const TabList::Line& line : list.lines())
        result["lines"][line.panel] = {line.middle.x, line.middle.y};
    return result;
}

json rows_of(const Timeline& timeline) {
    json rows = json::array();
    const Box& lanes = timeline.areas.lanes;
    for (const LayoutRow& row : timeline.layout.rows) {
        if (row.kind != RowKind::slices) continue;
        const double y = lanes.y0 + row.y - timeline.scroll_y + row.height / 2;
        if (y < lanes.y0 || y > lanes.y1) continue;
        rows.push_back({{"lane", timeline.layout.lanes[row.lane].name},
                        {"lane_id", timeline.layout.lanes[row.lane].id},
                        {"depth", row.depth},
                        {"y", y}});
    }
    return rows;
}

json heads_of(const Timeline& timeline) {
    json heads = json::array();
    for (const GroupBox& group : timeline.layout.groups) {
        const LayoutRow& row = timeline.layout.rows[group.head_row];
        heads.push_back(
            {{"name", group.name},
             {"collapsed", group.collapsed},
             {"y", timeline.areas.lanes.y0 + row.y - timeline.scroll_y + row.height / 2}});
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

void add_timeline(json& state, const Timeline& timeline) {
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
    state["groups"] = heads_of(timeline);
    state["rows"] = rows_of(timeline);
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
                                 {"x", (std::max(idle.box.x0, timeline.areas.lanes.x0) +
                                        std::min(idle.box.x1, timeline.areas.lanes.x1)) /
                                           2},
                                 {"y", (idle.box.y0 + idle.box.y1) / 2}});
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

json selection_of(const SliceFacts& facts, const Trace& trace,
                  const std::vector<Argument>* arguments) {
    json selection = {{"name", facts.name},         {"kind", event_class_name(facts.event_class)},
                      {"lane", facts.lane},         {"start", facts.start},
                      {"duration", facts.duration}, {"self", facts.self},
                      {"depth", facts.depth},       {"step", facts.step}};
    selection["explanation"] = facts.explanation ? json(facts.explanation->text) : json();
    selection["origin"] = json::array();
    for (const SliceRef parent : facts.origin) selection["origin"].push_back(trace.name(parent));
    selection["launches"] = json::array();
    for (const LaunchPeer& peer : facts.launches)
        selection["launches"].push_back(trace.name(peer.slice));
    selection["footprint"] = nullptr;
    if (const auto& f = facts.footprint) {
        selection["footprint"] = {{"registers", f->config.registers_per_thread},
                                  {"shared_bytes", f->config.shared_memory_bytes},
                                  {"unknown", f->unknown}};
        if (f->occupancy) {
            selection["footprint"]["blocks"] = f->occupancy->blocks;
            selection["footprint"]["occupancy"] = f->occupancy->theoretical;
            selection["footprint"]["limiter"] = limiter_text(*f->occupancy);
            selection["footprint"]["at_most"] = f->occupancy->at_most;
            selection["footprint"]["sms"] = f->device->sms;
        }
    }
    selection["arguments"] = nullptr;
    if (arguments) {
        selection["arguments"] = json::object();
        for (const Argument& argument : *arguments)
            selection["arguments"][argument.name] = argument.value;
    }
    return selection;
}

json table_of(const TablePanel& panel) {
    if (!panel.ready()) return {{"ready", false}};
    constexpr std::size_t listed = 20;
    json rows = json::array();
    for (std::size_t r = 0; r < std::min(listed, panel.rows().size()); ++r) {
        json& row = rows.emplace_back(json::object());
        for (std::size_t c = 0; c < panel.table()->column_count(); ++c) {
            const ColumnSpec& column = panel.table()->spec().columns[c];
            row[std::string(column.key)] = format_cell(*panel.table(), panel.rows()[r], c);
        }
    }
    json forms = json::object();
    for (const auto& [name, middle] : panel.form_places()) forms[name] = {middle.x, middle.y};
    json tools = json::object();
    for (const auto& [name, middle] : panel.tool_places()) tools[name] = {middle.x, middle.y};
    json columns = json::object();
    for (const auto& [name, left, right] : panel.column_places()) columns[name] = {left, right};
    const TablePanel::DrawnRows drawn = panel.drawn_rows();
    return {{"ready", true},
            {"forms", forms},
            {"tools", tools},
            {"columns", columns},
            {"row_count", panel.rows().size()},
            {"rows", rows},
            {"drawn", {drawn.last + 1 - std::min(drawn.count, drawn.last + 1), drawn.last}},
            {"first_row_y", panel.first_row_y()}};
}

json border_of(const std::optional<PanelBorder>& border) {
    if (!border) return nullptr;
    return {border->from.x, border->from.y, border->to.x, border->to.y};
}

json gap_of(const WalkedGap& walked, const Trace& trace) {
    const GapStory& story = walked.story;
    const auto call_of = [&](const GapCall& call) {
        return json{{"name", trace.name(call.slice)}, {"inside", call.inside}};
    };
    std::vector<GapCall> longest;
    for (const GapCalls& calls : story.calls)
        longest.insert(longest.end(), calls.longest.begin(), calls.longest.end());
    std::ranges::stable_sort(longest, std::greater(), &GapCall::inside);
    json calls = json::array();
    for (const GapCall& call : longest) calls.push_back(call_of(call));
    return {{"place", walked.place},
            {"count", walked.count},
            {"start", story.gap.range.begin - trace.origin},
            {"duration", story.gap.range.length()},
            {"cause", gap_cause_name(story.gap.cause)},
            {"around", story.around.slice ? call_of(story.around) : json()},
            {"calls", calls},
            {"busy", walked.device_busy},
            {"span", walked.device_span}};
}

// Null while it shows nothing.
json range_of_panel(const RangePanel& panel) {
    if (!panel.shown()) return nullptr;
    const Trace& trace = panel.trace();
    const RangeSummary& summary = *panel.shown();
    constexpr std::size_t listed = 20;
    const bool names = panel.form() == RangePanel::Form::names;
    json rows = json::array();
    for (std::size_t r = 0; r < std::min(listed, panel.rows().size()); ++r) {
        const uint32_t at = panel.rows()[r];
        if (names) {
            const NameInRange& sum = summary.names[at];
            rows.push_back({{"name", trace.strings[sum.name]},
                            {"count", sum.count},
                            {"total", sum.total},
                            {"self", sum.self},
                            {"mean", sum.mean()}});
        } else {
            const LaneInRange& sum = summary.lanes[at];
            rows.push_back({{"lane", sum.lane}, {"count", sum.count}, {"busy", sum.busy}});
        }
    }
    json devices = json::array();
    for (const GpuInRange& gpu : summary.devices)
        devices.push_back({{"device", gpu.device}, {"busy", gpu.busy}, {"idle", gpu.idle}});
    const auto place = [](ImVec2 at) { return json{at.x, at.y}; };
    return {{"slices", summary.slices},
            {"devices", devices},
            {"rows", rows},
            {"row_count", panel.rows().size()},
            {"first_row_y", panel.first_row_y()},
            {"forms",
             {{"names", place(panel.form_place(RangePanel::Form::names))},
              {"lanes", place(panel.form_place(RangePanel::Form::lanes))}}}};
}

json notes_of(const NotesState& notes, const Timeline& timeline) {
    json list = json::array();
    for (const Note& note : timeline.notes)
        list.push_back({{"begin", note.time.begin - timeline.trace().origin},
                        {"end", note.time.end - timeline.trace().origin},
                        {"text", note.text}});
    json chosen;
    if (timeline.chosen_note) chosen = *timeline.chosen_note;
    std::string kept_at;
    std::string warning;
    for (const NotedFile& file : notes.files) {
        if (kept_at.empty()) kept_at = file.kept_at;
        if (warning.empty()) warning = file.warning;
    }
    return {{"list", list},
            {"chosen", chosen},
            {"kept_at", kept_at},
            {"warning", warning},
            {"editing", notes.editor ? json(notes.editor->text) : json()}};
}

// Null while it shows no figures.
json statistics_of(const StatisticsPanel& panel) {
    if (panel.figures().empty()) return nullptr;
    json figures = json::object();
    for (const auto& [name, value] : panel.figures()) figures[name] = value;
    json bars = json::array();
    for (const HistogramBar& bar : panel.bars())
        bars.push_back({{"x", (bar.x0 + bar.x1) / 2},
                        {"y", panel.bars_y()},
                        {"count", bar.count},
                        {"beyond", !bar.bin}});
    const ImVec2 outlier = panel.first_outlier();
    return {{"figures", figures},
            {"bars", bars},
            {"comparison", panel.comparison()},
            {"first_outlier", {outlier.x, outlier.y}}};
}

json search_of(const StateFacts& facts) {
    const FindBox& box = *facts.search.box;
    json search = {{"text", box.text()},
                   {"focused", box.focused()},
                   {"busy", facts.search.busy},
                   {"status", facts.search.status},
                   {"box", box_of(box.box())},
                   {"filter", static_cast<int>(facts.timeline->filter)},
                   {"count", nullptr},
                   {"error", nullptr},
                   {"reading", facts.search.reading}};
    if (facts.timeline->found) search["count"] = facts.timeline->found->matches.count;
    if (box.error())
        search["error"] = {{"text", box.error()->text}, {"place", box.error()->byte_offset}};
    return search;
}

json palette_of(const CommandPalette& palette) {
    if (!palette.shown()) return nullptr;
    return {{"text", palette.typed()}, {"lines", palette.offered()}, {"chosen", palette.chosen()}};
}

json help_of(const KeyHelp& help, const KeyMap& keys) {
    if (!help.shown()) return nullptr;
    json places = json::object();
    for (const Command& command : commands())
        if (const auto place = help.place_of(command.id))
            places[command.id] = {
                {"x", place->x}, {"y", place->y}, {"keys", keys_of(keys, command.action)}};
    return {{"commands", places},
            {"problems", keys.problems},
            {"scroll", help.scroll().first},
            {"scroll_most", help.scroll().second}};
}

}  // namespace

std::string state_text(const StateFacts& facts) {
    json state = {{"file", facts.file},
                  {"loading", facts.loading},
                  {"moving", facts.moving},
                  {"inputs", facts.inputs},
                  {"waiting_inputs", facts.waiting_inputs},
                  {"at_rest", facts.at_rest},
                  {"theme", facts.theme == Theme::light ? "light" : "dark"},
                  {"tables_shown", facts.tables_shown},
                  {"legend_shown", facts.legend->shown},
                  {"help", help_of(*facts.help, *facts.keys)},
                  {"help_shown", facts.help->shown()},
                  {"search", search_of(facts)},
                  {"palette", palette_of(*facts.palette)},
                  {"menu_shown", facts.menu_shown},
                  {"keys_in", facts.keys_in},
                  {"border", border_of(facts.border)},
                  {"panel_moved", facts.panel_moved},
                  {"column", facts.column},
                  {"longest_frame",
                   {{"cpu_ms", facts.frame_cost->longest_cpu_ms()},
                    {"wall_ms", facts.frame_cost->longest_wall_ms()}}},
                  {"menu", facts.menu_shown ? json(command_groups()) : json()},
                  {"dialog_shown", facts.dialog_shown},
                  {"message", facts.message},
                  {"panels", json::object()},
                  {"tab_list", tab_list_of(*facts.tab_list)},
                  {"error", nullptr},
                  {"selection", nullptr},
                  {"gap", nullptr},
                  {"story", nullptr},
                  {"statistics", statistics_of(*facts.statistics)}};
    if (facts.error) {
        state["error"] = {{"text", facts.error->text}, {"byte_offset", nullptr}};
        if (facts.error->byte_offset != Error::no_offset)
            state["error"]["byte_offset"] = facts.error->byte_offset;
    }
    add_attach(state, facts);
    add_recording(state, facts);
    if (facts.picture_dialog->shown()) {
        for (const auto& [name, box] : facts.picture_dialog->choices())
            state["picture_choices"][name] = {box.x, box.y, box.z, box.w};
    }
    if (facts.story) state["story"] = *facts.story;
    for (const PanelPlace& panel : facts.panels) {
        state["panels"][panel.name] = {
            {"box", box_of(panel.box)},
            {"tab", box_of(panel.tab)},
            {"docked", panel.docked},
            {"in_front", panel.in_front},
            {"lit", panel.lit},
            {"table", panel.table && panel.in_front ? table_of(*panel.table) : json()}};
    }
    if (facts.timeline->index) {
        add_timeline(state, *facts.timeline);
        add_traces(state, *facts.traces, *facts.traces_panel, facts.selection);
        add_side_by_side(state, *facts.side_by_side);
        add_lanes(state, *facts.timeline, *facts.lanes_table);
        add_colors(state, facts);
        add_models(state, facts);
        state["range_panel"] = range_of_panel(*facts.range);
        state["notes"] = notes_of(*facts.notes, *facts.timeline);
        if (facts.gap) state["gap"] = gap_of(*facts.gap, facts.timeline->trace());
        if (facts.selection)
            state["selection"] =
                selection_of(*facts.selection, facts.timeline->trace(), facts.arguments);
    }
    return state.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

bool write_state_file(const std::string& path, const std::string& text) {
    const std::string beside = path + ".new";
    {
        std::ofstream file(beside, std::ios::trunc);
        file << text;
        if (!file) return false;
    }
    return std::rename(beside.c_str(), path.c_str()) == 0;
}

}  // namespace lanescope
