#include "ui/panels/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/analysis/kernels/graph_nodes.h"
#include "core/analysis/structure/time_range.h"
#include "core/base/format.h"
#include "core/trace/replay_link.h"
#include "core/trace/short_name.h"
#include "ui/commands/panel_names.h"
#include "ui/panels/link.h"
#include "ui/panels/panel_column.h"
#include "ui/panels/table_cells.h"

namespace lanescope {

namespace {

constexpr float kHead = 24;
constexpr float kComparisonLine = 20;
constexpr float kFigures = 330;  // width of the figures
constexpr float kOutliers = 270;
constexpr float kFigureGap = 28;
// In a panel narrower than kWide, outliers are below the figures; below kNarrowStatistics, all
// parts are below each other.
constexpr float kWide = 860;
constexpr float kNarrowStatistics = 600;
constexpr float kNarrowPicture = 150;
constexpr float kLine = 20;

// One figure of a list; a figure that belongs to an instance links to it.
struct Entry {
    const char* name;
    std::string value;
    SliceRef slice;
};

std::vector<Entry> entries_of(const Siblings& siblings) {
    const Distribution& d = siblings.all.durations;
    const auto count = [](std::size_t n) { return format_count(static_cast<int64_t>(n)); };
    SliceRef first_warm_up;
    if (siblings.warm_up > 0) first_warm_up = siblings.all.slices.front();
    return {
        {"Count", count(d.count), {}},
        {"Total", format_duration(d.total), {}},
        {"Mean ± 95 %", mean_text(d), {}},
        {"Standard deviation", format_duration(d.sd), {}},
        {"Mode", format_duration(siblings.all.bins.mode), {}},
        {"Warm-up", count(siblings.warm_up), first_warm_up},
        {"Min", format_duration(d.min), siblings.by_duration.front()},
        {"p50", format_duration(d.p50), siblings.at_quantile(0.5)},
        {"p90", format_duration(d.p90), siblings.at_quantile(0.9)},
        {"p99", format_duration(d.p99), siblings.at_quantile(0.99)},
        {"Max", format_duration(d.max), siblings.by_duration.back()},
        {"Outliers", count(d.outliers),
         siblings.all.outliers.empty() ? SliceRef() : siblings.all.outliers.front()},
    };
}

std::string rank_text(const Siblings& siblings, Nanos duration) {
    const auto shorter = static_cast<double>(
        std::lower_bound(siblings.durations.begin(), siblings.durations.end(), duration) -
        siblings.durations.begin());
    const auto all = static_cast<double>(siblings.durations.size());
    return fmt::format("This one takes {}, longer than {} of them", format_duration(duration),
                       format_percent(shorter / all));
}

bool any_graph_launch(const Trace& trace) {
    for (StringId id = 0; id < trace.strings.size(); ++id)
        if (launches_graph(trace.strings[id])) return true;
    return false;
}

}  // namespace

void SiblingsOfSelection::clear() {
    making_.drop();
    only_node_ = false;
    wanted_ = {};
    made_ = {};
    siblings_.reset();
}

bool SiblingsOfSelection::may_be_replayed(const PanelInputs& inputs) {
    const Trace& trace = inputs.context->trace();
    if (looked_at_.lock() != inputs.context) {
        looked_at_ = inputs.context;
        any_graph_ = any_graph_launch(trace);
    }
    return any_graph_ && find_row(trace.gpu_activities.slice, inputs.selected) != kNoRow;
}

std::optional<Siblings> SiblingsOfSelection::compute(const Made& wanted) {
    const Trace& trace = wanted.context->trace();
    const TableQuery query = marked_query(*wanted.context, wanted.range);
    const GraphNode* const node =
        wanted.of_node ? wanted.context->get<GraphNodes>().of(trace, wanted.of_node) : nullptr;
    if (!node) return siblings_of(trace, query, *wanted.kind);
    std::vector<SliceRef> slices;
    for (const uint32_t row : node->members) {
        const SliceRef slice = trace.gpu_activities.slice[row];
        if (query.has_work(row, trace.start(slice))) slices.push_back(slice);
    }
    std::optional<Siblings> siblings = siblings_among(trace, std::move(slices), *wanted.kind);
    if (siblings) siblings->part = fmt::format("node {} of graph {}", node->node, node->graph);
    return siblings;
}

void SiblingsOfSelection::follow(const PanelInputs& inputs) {
    wanted_ = {inputs.context, inputs.range, std::nullopt, {}, inputs.snapshot()};
    if (inputs.context && inputs.selected) {
        wanted_.kind = sibling_kind(inputs.context->trace(), inputs.selected);
        if (only_node_ && may_be_replayed(inputs)) wanted_.of_node = inputs.selected;
    }
    if (ready() || making_.busy()) return;
    if (!wanted_.kind) {
        made_ = wanted_;
        siblings_.reset();
        return;
    }
    making_.ask(
        *inputs.jobs, [wanted = wanted_] { return compute(wanted); },
        [this, wanted = wanted_, selected = inputs.selected](std::optional<Siblings> siblings) {
            made_ = wanted;
            made_for_ = selected;
            siblings_ = std::move(siblings);
        },
        JobQueue::analysis);
}

PanelInputs SiblingsOfSelection::drawn_of(const PanelInputs& inputs) const {
    PanelInputs drawn = inputs;
    if (ready() || !inputs.live || !made_.context) return drawn;
    drawn.context = made_.context;
    drawn.range = made_.range;
    drawn.shown = made_.snapshot;
    drawn.selected = made_for_;
    return drawn;
}

void StatisticsPanel::draw_head(const PanelInputs& inputs, const Siblings& siblings,
                                const Look& look) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    const Trace& trace = inputs.context->trace();
    std::string where = "in the whole trace";
    if (inputs.range)
        where = "that begin in " + format_duration(inputs.range->begin - trace.origin) + " … " +
                format_duration(inputs.range->end - trace.origin);
    const std::string note =
        fmt::format("{}{} {} {}", siblings.part.empty() ? "" : siblings.part + " · ",
                    format_count(static_cast<int64_t>(siblings.all.durations.count)),
                    siblings.all.durations.count == 1 ? "instance" : "instances", where);
    const float note_width = text_width(look, look.fonts.regular, type::kTable, note);
    const std::string_view name = short_name(siblings.name, trace.event_class(inputs.selected));
    const float used = draw_text_cut(list, look, look.fonts.medium, type::kText, at, look.colors.hi,
                                     name, std::max(room - note_width - look.px(16), room / 2));
    draw_text_cut(list, look, look.fonts.regular, type::kTable,
                  {at.x + used + look.px(16), at.y + look.px(1)}, look.colors.mid, note,
                  room - used - look.px(16));
    ImGui::InvisibleButton("name", {std::max(used, 1.0f), look.px(kHead)});
    if (name.size() < siblings.name.size() && ImGui::IsItemHovered(ImGuiHoveredFlags_DelayNormal)) {
        ImGui::BeginTooltip();
        ImGui::PushTextWrapPos(look.px(600));
        ImGui::TextUnformatted(siblings.name.c_str());
        ImGui::PopTextWrapPos();
        ImGui::EndTooltip();
    }
}

// One kernel name can occur at many places of a graph; a node is one place, over all replays.
void StatisticsPanel::draw_node_choice(const PanelInputs& inputs, const Look& look) {
    node_choice_ = {};
    if (inputs.live || !of_.may_be_replayed(inputs)) return;
    ImGui::PushFont(look.fonts.regular, type::kTable);
    bool only = of_.only_node();
    if (ImGui::Checkbox("Only this node of the graph, over all replays", &only))
        of_.choose_node(only);
    node_choice_ = middle_of_item();
    const Siblings* const siblings = of_.get();
    if (only && siblings && siblings->part.empty()) {
        ImGui::SameLine();
        ImGui::TextDisabled("no graph launched it");
    }
    ImGui::PopFont();
}

void StatisticsPanel::draw_picture(const PanelInputs& inputs, const Siblings& siblings,
                                   const Box& box, const Look& look, Requests& requests) {
    const Trace& trace = inputs.context->trace();
    const Box picture{box.x0, box.y0, box.x1, box.y1 - look.px(kComparisonLine)};
    const HistogramClick click =
        draw_histogram(trace, siblings, inputs.selected, picture, HistogramAxis::ticks, look);
    if (click.slice) requests.add(ZoomToSlice{*click.slice, inputs.snapshot()});
    const Box plot = histogram_plot(picture, look);
    bars_ = histogram_bars(siblings, plot, look.scale);
    bars_y_ = plot.y1 - 1;
    comparison_ = click.hovered ? bar_text(siblings, *click.hovered)
                                : rank_text(siblings, trace.duration(inputs.selected));
    const std::string hint = "  ·  click a bar for its longest, again for the next";
    const float used =
        draw_text_cut(*ImGui::GetWindowDrawList(), look, look.fonts.regular, type::kTable,
                      {box.x0, picture.y1 + look.px(3)}, look.colors.mid, comparison_, box.width());
    if (used + text_width(look, look.fonts.regular, type::kTable, hint) <= box.width())
        draw_text(*ImGui::GetWindowDrawList(), look, look.fonts.regular, type::kTable,
                  {box.x0 + used, picture.y1 + look.px(3)}, look.colors.low, hint);
}

void StatisticsPanel::draw_figures(const PanelInputs& inputs, const Siblings& siblings,
                                   const Box& box, const Look& look, Requests& requests) {
    const Trace& trace = inputs.context->trace();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    figures_.clear();
    const std::vector<Entry> entries = entries_of(siblings);
    const std::size_t half = entries.size() / 2;
    // The left column gets more space: its texts are longer than p50 and p90 in the right one.
    const float middle = std::round(box.x0 + box.width() * 0.62f);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Entry& entry = entries[i];
        const float left = i < half ? box.x0 : middle + look.px(14);
        const float right = i < half ? middle - look.px(14) : box.x1;
        const float y = box.y0 + look.px(kLine) * static_cast<float>(i < half ? i : i - half);
        const float width = text_width(look, look.fonts.regular, type::kTable, entry.value);
        draw_text_cut(list, look, look.fonts.regular, type::kTable,
                      {left, text_y(look, type::kTable, y, look.px(kLinkHeight))}, look.colors.mid,
                      entry.name, right - left - width - look.px(6));
        figures_.push_back({entry.name, entry.value});
        if (entry.slice) {
            if (draw_link(look, {right - width, y}, entry.name, entry.value, width + 1,
                          look.fonts.regular))
                requests.add(ZoomToSlice{entry.slice, inputs.snapshot()});
            if (ImGui::IsItemHovered() && !trace.name(entry.slice).empty())
                ImGui::SetItemTooltip("Show it on the timeline");
        } else {
            draw_text(list, look, look.fonts.regular, type::kTable,
                      {right - width, text_y(look, type::kTable, y, look.px(kLinkHeight))},
                      look.colors.hi, entry.value);
        }
    }
}

void StatisticsPanel::draw_outliers(const PanelInputs& inputs, const Siblings& siblings,
                                    const Box& box, const Look& look, Requests& requests) {
    const Trace& trace = inputs.context->trace();
    const auto& outliers = siblings.all.outliers;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const std::string head =
        outliers.empty() ? "No outliers"
                         : fmt::format("{} over {}", outliers.size() == 1 ? "Outlier" : "Outliers",
                                       format_duration(siblings.all.durations.outlier_limit));
    draw_text_cut(list, look, look.fonts.medium, type::kSecondary, {box.x0, box.y0},
                  look.colors.low, head, box.width());
    const float top = box.y0 + look.px(kLine);
    if (outliers.empty() || box.y1 - top < look.px(kLine)) return;
    ImGui::SetCursorScreenPos({box.x0, top});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    if (ImGui::BeginChild("outliers", {box.width(), box.y1 - top})) {
        ImGuiListClipper clipper;
        clipper.Begin(static_cast<int>(outliers.size()), look.px(kLine));
        while (clipper.Step()) {
            for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
                const SliceRef slice = outliers[static_cast<std::size_t>(i)];
                const ImVec2 at = ImGui::GetCursorScreenPos();
                if (i == 0) first_outlier_ = {at.x + look.px(10), at.y + look.px(kLine) / 2};
                const std::string when = "at " + format_duration(trace.start(slice) - trace.origin);
                const float room = ImGui::GetContentRegionAvail().x;
                const float width = text_width(look, look.fonts.regular, type::kTable, when);
                ImGui::PushID(i);
                if (draw_link(look, at, "outlier", format_duration(trace.duration(slice)),
                              room - width - look.px(12), look.fonts.regular))
                    requests.add(ZoomToSlice{slice, inputs.snapshot()});
                ImGui::PopID();
                draw_text(*ImGui::GetWindowDrawList(), look, look.fonts.regular, type::kTable,
                          {at.x + room - width - look.px(6),
                           text_y(look, type::kTable, at.y, look.px(kLinkHeight))},
                          look.colors.mid, when);
                ImGui::SetCursorScreenPos(at);
                ImGui::Dummy({room, look.px(kLine)});
            }
        }
    }
    ImGui::EndChild();
    ImGui::PopStyleVar();
}

void StatisticsPanel::draw_contents(const PanelInputs& wanted,
                                    const SiblingsOfSelection& siblings_of_selection,
                                    const Look& look, Requests& requests) {
    draw_all(siblings_of_selection.drawn_of(wanted), siblings_of_selection, look, requests);
}

void StatisticsPanel::draw_all(const PanelInputs& inputs,
                               const SiblingsOfSelection& siblings_of_selection, const Look& look,
                               Requests& requests) {
    figures_.clear();
    bars_.clear();
    comparison_.clear();
    first_outlier_ = {};
    if (!inputs.context) return say(look, why_nothing_to_show(inputs));
    if (!inputs.selected)
        return say(look,
                   "Select a kernel, an operator or a section, on the timeline or in a table: how "
                   "long each run of it took is shown here. H brings this panel to the front.");
    const Siblings* const siblings = siblings_of_selection.get();
    if (!siblings_of_selection.ready() && !siblings) return say(look, "Computing …");
    if (!siblings)
        return say(look, "No " + std::string(short_name(inputs.context->trace(), inputs.selected)) +
                             " begins in the marked range. Esc clears the range.");
    draw_head(inputs, *siblings, look);
    draw_node_choice(inputs, look);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float bottom = at.y + room.y;
    const float right = at.x + room.x;
    const float figures_height = look.px(kLine * 6);
    const float least_outliers = look.px(kLine * 4);
    if (room.x < look.px(kNarrowStatistics)) {
        const float picture_bottom = at.y + look.px(kNarrowPicture);
        const float below = picture_bottom + look.px(8);
        const float rest = below + figures_height + look.px(8);
        draw_picture(inputs, *siblings, {at.x, at.y, right, picture_bottom}, look, requests);
        draw_figures(inputs, *siblings, {at.x, below, right, rest}, look, requests);
        draw_outliers(inputs, *siblings,
                      {at.x, rest, right, std::max(bottom, rest + least_outliers)}, look, requests);
        return;
    }
    const bool wide = room.x >= look.px(kWide);
    const float outliers = wide ? right - look.px(kOutliers) : right - look.px(kFigures);
    const float figures = wide ? outliers - look.px(kFigures + kFigureGap) : outliers;
    const float figures_right = wide ? outliers - look.px(kFigureGap) : right;
    const float outliers_top = wide ? at.y : at.y + figures_height + look.px(8);
    draw_picture(inputs, *siblings,
                 {at.x, at.y, figures - look.px(kFigureGap), std::max(bottom, at.y + look.px(70))},
                 look, requests);
    draw_figures(inputs, *siblings, {figures, at.y, figures_right, bottom}, look, requests);
    draw_outliers(inputs, *siblings,
                  {outliers, outliers_top, right,
                   wide ? bottom : std::max(bottom, outliers_top + least_outliers)},
                  look, requests);
}

std::string_view StatisticsPanel::name() const {
    return kStatisticsPanel;
}

void StatisticsPanel::draw(Frame& frame) {
    const PanelInputs inputs = panel_inputs(frame);
    if (inputs.live && inputs.context && frame.timeline.selected && !inputs.selected)
        ImGui::TextWrapped("The panels show the selected slice at their next update.");
    else
        draw_contents(inputs, of_, frame.look, frame.requests);
}

// Null while it shows no figures.
void StatisticsPanel::describe(const Frame& /*frame*/, nlohmann::json& state) const {
    using nlohmann::json;
    state["statistics"] = nullptr;
    if (figures_.empty()) return;
    json figures = json::object();
    for (const auto& [name, value] : figures_) figures[name] = value;
    json bars = json::array();
    for (const HistogramBar& bar : bars_)
        bars.push_back({{"x", (bar.x0 + bar.x1) / 2},
                        {"y", bars_y_},
                        {"count", bar.count},
                        {"beyond", !bar.bin}});
    state["statistics"] = {{"figures", figures},
                           {"bars", bars},
                           {"comparison", comparison_},
                           {"node_choice", {node_choice_.x, node_choice_.y}},
                           {"first_outlier", {first_outlier_.x, first_outlier_.y}}};
}

}  // namespace lanescope
