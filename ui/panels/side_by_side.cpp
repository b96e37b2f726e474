#include "ui/panels/side_by_side.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/analysis/structure/time_range.h"
#include "core/base/format.h"
#include "core/export/pictures/traces_svg.h"
#include "core/export/tables/table_writer.h"
#include "core/session/part_names.h"
#include "core/session/small_file.h"
#include "core/trace/join.h"
#include "ui/commands/panel_names.h"
#include "ui/panels/panel_column.h"
#include "ui/panels/save_file.h"

namespace lanescope {

namespace {

constexpr float kHeadHeight = 24;
constexpr float kRowHeight = 30;
constexpr float kBarHeight = 4;
constexpr float kBarAt = 20;      // below the top of its row
constexpr float kColumnGap = 10;  // between columns
constexpr float kEdge = 4;        // left of names and right of the last column
constexpr float kNamesAtMost = 160;
constexpr float kColumnAtLeast = 44;
constexpr float kOperatorAtLeast = 110;
constexpr float kColumnAtMost = 150;
constexpr float kOperatorAtMost = 320;
constexpr float kTooltipWidth = 420;

// The traces in the window's order, with the names that the window uses.
std::vector<TraceFigures> figures_of(
    const std::vector<std::shared_ptr<const TraceContext>>& contexts,
    const std::optional<TimeRange>& range) {
    std::vector<TraceFigures> figures;
    for (const auto& context : contexts) {
        figures.push_back(trace_figures(*context, marked_query(*context, range)));
        const Trace& trace = context->trace();
        TraceFigures& last = figures.back();
        last.name = trace.only_part == kNoRow
                        ? part_names(std::vector<TraceFile>{{trace.path}}).front()
                        : trace.parts[trace.only_part].name;
    }
    return figures;
}

}  // namespace

void SideBySidePanel::forget() {
    making_.drop();
    wanted_ = {};
    made_ = {};
    shown_.reset();
    rows_.clear();
}

void SideBySidePanel::make(const SideBySideInputs& inputs) {
    wanted_ = {inputs.contexts, inputs.range};
    if (making_.busy() || (made_ == wanted_ && shown_)) return;
    making_.ask(
        *inputs.jobs,
        [wanted = wanted_] {
            auto shown = std::make_shared<Shown>();
            shown->figures = figures_of(wanted.contexts, wanted.range);
            shown->columns = trace_bars(shown->figures);
            return shown;
        },
        [this, wanted = wanted_](std::shared_ptr<const Shown> shown) {
            made_ = wanted;
            shown_ = std::move(shown);
        },
        JobQueue::analysis);
}

bool SideBySidePanel::button(const char* label, const char* hint, const Look& look) {
    ImGui::PushStyleColor(ImGuiCol_Text, look.colors.mid);
    const bool pressed = ImGui::Button(label);
    ImGui::PopStyleColor();
    ImGui::SetItemTooltip("%s", hint);
    const ImVec2 min = ImGui::GetItemRectMin();
    const ImVec2 max = ImGui::GetItemRectMax();
    buttons_.push_back({label, {(min.x + max.x) / 2, (min.y + max.y) / 2}});
    return pressed;
}

SaveRequest SideBySidePanel::picture_to_save(const Look& look) const {
    return {"Picture", free_path("traces", "svg"),
            [shown = shown_, theme = look.theme](const std::string& path) {
                return write_small_file(path, traces_svg(shown->figures, theme));
            }};
}

SaveRequest SideBySidePanel::table_to_save() const {
    return {"Table", free_path("traces", "csv"), [shown = shown_](const std::string& path) {
                return write_small_file(
                    path, write_table(traces_table(shown->figures), TableFormat::csv));
            }};
}

void SideBySidePanel::draw_tools(const SideBySideInputs& inputs, const Look& look,
                                 Requests& requests) {
    buttons_.clear();
    ImGui::PushFont(look.fonts.regular, type::kTable);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.px(8), look.px(3)});
    if (button("Add a trace…", "Open one more in this window", look))
        requests.act(Action::add_trace);
    ImGui::SameLine();
    ImGui::BeginDisabled(!shown_);
    if (button("Save PNG", "Save the picture as it is shown", look))
        requests.add(SaveRequest{"Picture", free_path("traces", "png"), nullptr,
                                 PartPicture{static_cast<int>(picture_min_.x),
                                             static_cast<int>(picture_min_.y),
                                             static_cast<int>(picture_max_.x - picture_min_.x),
                                             static_cast<int>(picture_max_.y - picture_min_.y),
                                             {}}});
    ImGui::SameLine();
    if (button("Save SVG", "Save it as vectors, with all traces", look))
        requests.add(picture_to_save(look));
    ImGui::SameLine();
    if (button("Save CSV", "Save the figures as a table", look)) requests.add(table_to_save());
    ImGui::EndDisabled();
    ImGui::SameLine();
    std::string status = "Computing …";
    if (ready()) {
        const bool steps =
            std::ranges::any_of(shown_->figures, [](const auto& trace) { return trace.steps > 0; });
        status = inputs.contexts.size() == 1
                     ? "1 trace: add others to compare with it"
                     : format_count(std::ssize(inputs.contexts)) + " traces";
        if (steps) status += "  ·  time, FLOPs and kernels of a mean step";
        if (inputs.range) status += "  ·  only the marked range";
    }
    ImGui::AlignTextToFramePadding();
    ImGui::PushStyleColor(ImGuiCol_Text, look.colors.mid);
    ImGui::TextUnformatted(status.c_str());
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    ImGui::PopFont();
}

// Widths of the names and of each figure. Their minimum may exceed `room`.
std::vector<float> SideBySidePanel::column_widths(float room, const Look& look) const {
    const auto needed = [&](std::string_view text) {
        return text_width(look, look.fonts.regular, type::kTable, text);
    };
    float names = look.px(40);
    for (const TraceFigures& trace : shown_->figures) names = std::max(names, needed(trace.name));
    std::vector<float> widths = {std::min(names, look.px(kNamesAtMost))};
    float left = room - 2 * look.px(kEdge) - widths.front();
    for (const TraceBars& column : shown_->columns) {
        float width = std::max(look.px(kColumnAtLeast), needed(column.title));
        const bool names_operators = &column == &shown_->columns.back();
        const float max_width = look.px(names_operators ? kOperatorAtLeast : kColumnAtMost);
        for (const TraceBar& bar : column.bars)
            width = std::max(width, std::min(needed(bar.text), max_width));
        widths.push_back(std::round(width));
        left -= widths.back() + look.px(kColumnGap);
    }
    if (left <= 0) return widths;
    const float each = std::floor(left / static_cast<float>(widths.size() - 1));
    for (std::size_t i = 1; i < widths.size(); ++i) {
        const bool last = i + 1 == widths.size();
        widths[i] = std::min(widths[i] + each,
                             std::max(widths[i], look.px(last ? kOperatorAtMost : kColumnAtMost)));
    }
    return widths;
}

void SideBySidePanel::draw_heads(ImVec2 at, const std::vector<float>& widths, const Look& look) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float y = text_y(look, type::kTable, at.y, look.px(kHeadHeight));
    float x = at.x + look.px(kEdge) + widths.front();
    for (std::size_t i = 0; i < shown_->columns.size(); ++i) {
        const TraceBars& column = shown_->columns[i];
        const float width = widths[i + 1];
        x += look.px(kColumnGap);
        const float needed = text_width(look, look.fonts.regular, type::kTable, column.title);
        draw_text(list, look, look.fonts.regular, type::kTable, {x + width - needed, y},
                  look.colors.low, column.title);
        if (ImGui::IsMouseHoveringRect({x, at.y}, {x + width, at.y + look.px(kHeadHeight)}) &&
            ImGui::IsWindowHovered()) {
            ImGui::SetNextWindowSize({look.px(kTooltipWidth), 0});
            if (ImGui::BeginTooltip()) {
                ImGui::PushTextWrapPos(0);
                ImGui::TextUnformatted(column.about.c_str());
                ImGui::PopTextWrapPos();
                ImGui::EndTooltip();
            }
        }
        x += width;
    }
    const float line = at.y + look.px(kHeadHeight) - 1;
    list.AddLine({at.x, line}, {x + look.px(kEdge), line}, look.colors.line);
}

void SideBySidePanel::draw_bar(const TraceBar& bar, ImVec2 at, float width,
                               const Look& look) const {
    if (bar.part <= 0) return;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float height = look.px(kBarHeight);
    const auto place = [&](double part) {
        return std::round(at.x + width * static_cast<float>(std::clamp(part, 0.0, 1.0)));
    };
    const ImU32 mark = look.colors.mark[static_cast<std::size_t>(EventClass::kernel)];
    list.AddRectFilled(at, {std::max(place(bar.part), at.x + 1), at.y + height}, mark);
    if (bar.margin <= 0) return;
    const float from = place(bar.part - bar.margin);
    const float to = place(bar.part + bar.margin);
    const float middle = std::round(at.y + height / 2);
    const float tick = look.px(3);
    list.AddLine({from, middle}, {to, middle}, look.colors.hi);
    for (const float x : {from, to})
        list.AddLine({x, middle - tick}, {x, middle + tick}, look.colors.hi);
}

// Returns whether the row was clicked.
bool SideBySidePanel::draw_row(uint32_t index, ImVec2 at, const std::vector<float>& widths,
                               bool is_shown, const Look& look) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    float right = at.x + 2 * look.px(kEdge) + widths.front();
    for (std::size_t i = 1; i < widths.size(); ++i) right += look.px(kColumnGap) + widths[i];
    const float bottom = at.y + look.px(kRowHeight);
    ImGui::SetCursorScreenPos(at);
    ImGui::PushID(static_cast<int>(index));
    const bool clicked = ImGui::InvisibleButton("row", {right - at.x, bottom - at.y});
    ImGui::PopID();
    const bool hovered = ImGui::IsItemHovered();
    if (hovered) {
        list.AddRectFilled(at, {right, bottom}, with_alpha(look.colors.accent, 0.12f), look.px(2));
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    }
    const float y = text_y(look, type::kTable, at.y, look.px(kBarAt));
    const TraceFigures& trace = shown_->figures[index];
    float x = at.x + look.px(kEdge);
    const bool marked = is_shown && shown_->figures.size() > 1;
    draw_text_cut_middle(list, look, look.fonts.regular, type::kTable, {x, y},
                         marked ? look.colors.accent : look.colors.hi, trace.name, widths.front());
    x += widths.front();
    for (std::size_t i = 0; i < shown_->columns.size(); ++i) {
        const TraceBar& bar = shown_->columns[i].bars[index];
        const float width = widths[i + 1];
        x += look.px(kColumnGap);
        const float needed = text_width(look, look.fonts.regular, type::kTable, bar.text);
        const ImU32 color = bar.text == kUnknown ? look.colors.low : look.colors.hi;
        draw_text_cut_middle(list, look, look.fonts.regular, type::kTable,
                             {x + std::max(0.0f, width - needed), y}, color, bar.text, width);
        draw_bar(bar, {x, at.y + look.px(kBarAt)}, width, look);
        x += width;
    }
    rows_.push_back({trace.name, {at.x + look.px(60), (at.y + bottom) / 2}});
    if (hovered) hovered_ = trace_text(trace);
    return clicked;
}

std::optional<uint32_t> SideBySidePanel::draw_picture(const SideBySideInputs& inputs,
                                                      const Look& look) {
    std::optional<uint32_t> clicked;
    const ImVec2 room = ImGui::GetContentRegionAvail();
    if (ImGui::BeginChild("picture", room, ImGuiChildFlags_None,
                          ImGuiWindowFlags_HorizontalScrollbar)) {
        const std::vector<float> widths = column_widths(ImGui::GetContentRegionAvail().x, look);
        const ImVec2 at = ImGui::GetCursorScreenPos();
        draw_heads(at, widths, look);
        float y = at.y + look.px(kHeadHeight + 4);
        for (uint32_t i = 0; i < shown_->figures.size(); ++i) {
            if (draw_row(i, {at.x, y}, widths, i == inputs.shown_part, look)) clicked = i;
            y += look.px(kRowHeight);
        }
        const ImVec2 min = ImGui::GetWindowPos();
        const ImVec2 size = ImGui::GetWindowSize();
        picture_min_ = {std::max(min.x, at.x), std::max(min.y, at.y)};
        picture_max_ = {min.x + size.x, std::min(min.y + size.y, y)};
    }
    ImGui::EndChild();
    if (hovered_.empty()) return clicked;
    ImGui::SetNextWindowSize({look.px(kTooltipWidth), 0});
    if (ImGui::BeginTooltip()) {
        ImGui::PushTextWrapPos(0);
        ImGui::TextUnformatted(hovered_.c_str());
        ImGui::PushStyleColor(ImGuiCol_Text, look.colors.low);
        ImGui::TextUnformatted("Click: it on the timeline, and in the tables");
        ImGui::PopStyleColor();
        ImGui::PopTextWrapPos();
        ImGui::EndTooltip();
    }
    return clicked;
}

std::optional<uint32_t> SideBySidePanel::draw_contents(const SideBySideInputs& inputs,
                                                       const Look& look, Requests& requests) {
    rows_.clear();
    hovered_.clear();
    if (inputs.contexts.empty()) {
        say(look, "This panel compares time, memory, work and throughput of the window's traces.");
        return std::nullopt;
    }
    make(inputs);
    if (made_.contexts != wanted_.contexts) shown_.reset();
    draw_tools(inputs, look, requests);
    return shown_ ? draw_picture(inputs, look) : std::nullopt;
}

std::string_view SideBySidePanel::name() const {
    return kSideBySidePanel;
}

void SideBySidePanel::draw(Frame& frame) {
    if (frame.live()) {
        ImGui::TextWrapped("Traces can be compared when the recording has ended.");
        return;
    }
    const std::vector<std::shared_ptr<const TraceContext>> none;
    const LoadedTrace* const loaded = frame.loaded();
    const auto range =
        frame.timeline.marked ? std::optional(frame.timeline.marked->time) : std::nullopt;
    const auto clicked = draw_contents(
        {loaded ? loaded->contexts : none, frame.trace->shown_part, range, &frame.jobs}, frame.look,
        frame.requests);
    if (!clicked) return;
    frame.show_part(*clicked);
    frame.requests.add(FrameRange{loaded->parts[*clicked]->content});
}

void SideBySidePanel::describe(const Frame& frame, nlohmann::json& state) const {
    using nlohmann::json;
    if (!frame.timeline.index) return;
    const auto places_of = [](const std::vector<Place>& all) {
        json places = json::array();
        for (const Place& place : all)
            places.push_back({{"name", place.name}, {"x", place.middle.x}, {"y", place.middle.y}});
        return places;
    };
    state["side_by_side"] = {{"ready", ready()},
                             {"rows", places_of(rows_)},
                             {"buttons", places_of(buttons_)},
                             {"tooltip", hovered_}};
}

}  // namespace lanescope
