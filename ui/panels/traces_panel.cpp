#include "ui/panels/traces_panel.h"

#include <imgui_stdlib.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/analysis/structure/time_range.h"
#include "core/base/format.h"
#include "core/trace/join.h"
#include "ui/commands/panel_names.h"

namespace lanescope {

namespace {

constexpr float kMoveWidth = 22;
constexpr Nanos kOneStep = 10'000;  // step of the buttons beside a begin

std::string aligned_line(AlignBy by) {
    switch (by) {
        case AlignBy::clock:
            return "aligned by wall clock";
        case AlignBy::step:
            return "aligned by a step";
        case AlignBy::event:
            return "aligned by an event";
        case AlignBy::by_hand:
            return "each at its own place";
        default:
            return "aligned by their start";
    }
}

// Parses "1.5 ms" with or without a sign; 0 needs no unit.
std::optional<Nanos> parse_begin(std::string text) {
    std::erase(text, ' ');
    const bool negative = text.starts_with('-') || text.starts_with("−");
    if (text.starts_with("−"))
        text.erase(0, std::string_view("−").size());
    else if (negative || text.starts_with('+'))
        text.erase(0, 1);
    const std::optional<Nanos> time = parse_duration(text);
    if (!time) return std::nullopt;
    return negative ? -*time : *time;
}

bool tool(const char* label, bool on, const Look& look) {
    if (on) ImGui::PushStyleColor(ImGuiCol_Text, look.colors.accent);
    const bool pressed = ImGui::Button(label);
    if (on) ImGui::PopStyleColor();
    return pressed;
}

// Cut to its cell; the tooltip shows all of it.
void text_cut(const std::string& text, const std::string& whole, const Look& look) {
    const float room = ImGui::GetContentRegionAvail().x;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = ImGui::GetFrameHeight();
    draw_text_cut(*ImGui::GetWindowDrawList(), look, look.fonts.regular, type::kTable,
                  {at.x, text_y(look, type::kTable, at.y, height)}, look.colors.hi, text, room);
    ImGui::Dummy({room, height});
    ImGui::SetItemTooltip("%s", whole.c_str());
}

// Right-aligned in its cell.
void number(const std::string& text) {
    ImGui::AlignTextToFramePadding();
    const float left = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x;
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0f, left));
    ImGui::TextUnformatted(text.c_str());
}

}  // namespace

void TracesPanel::note_place(std::string what) {
    const ImVec2 min = ImGui::GetItemRectMin();
    const ImVec2 max = ImGui::GetItemRectMax();
    places_.push_back({std::move(what), {(min.x + max.x) / 2, (min.y + max.y) / 2}});
}

void TracesPanel::draw_tools(const TracesShown& shown, const Look& look, Requests& requests) {
    const auto align = [&](const char* label, const char* what, const char* hint, AlignBy by) {
        if (tool(label, shown.aligned_by == by, look)) requests.add(AlignTraces{{by, step_, {}}});
        ImGui::SetItemTooltip("%s", hint);
        note_place(what);
        ImGui::SameLine();
    };
    if (ImGui::Button("Add a trace…")) requests.act(Action::add_trace);
    note_place("add");
    if (shown.parts.size() < 2) return;
    ImGui::SameLine(0, look.px(24));
    ImGui::AlignTextToFramePadding();
    ImGui::TextDisabled("Align by");
    ImGui::SameLine();
    align("Start", "start", "All begin at once", AlignBy::start);
    align("Wall clock", "clock", "By the time of day in the files", AlignBy::clock);
    align("Step", "step", "The step of this number begins at the same time in all", AlignBy::step);
    ImGui::SetNextItemWidth(look.px(56));
    if (ImGui::InputInt("##step", &step_, 0, 0, ImGuiInputTextFlags_EnterReturnsTrue))
        requests.add(AlignTraces{{AlignBy::step, step_, {}}});
    note_place("step number");
    step_ = std::max(step_, 0);
    ImGui::SameLine();
    if (tool("Two events", false, look)) requests.act(Action::align_events);
    ImGui::SetItemTooltip(
        "Select an event and press this, then select one of another trace and press it again");
    note_place("events");
    ImGui::SameLine(0, look.px(16));
    ImGui::TextDisabled("%s", shown.busy ? "moving…" : aligned_line(shown.aligned_by).c_str());
}

void TracesPanel::draw_part(const TracesShown& shown, uint32_t index, const Look& look,
                            Requests& requests, TracesAnswer& answer) {
    const Trace& trace = *shown.parts[index];
    const TimeRange span = file_span(trace);
    const bool several = shown.parts.size() > 1;
    const std::string at = std::to_string(index);
    ImGui::TableNextColumn();
    if (ImGui::RadioButton("##tell", shown.shown_part == index)) answer.show_part = index;
    ImGui::SetItemTooltip("The tables show this trace");
    note_place("tell " + at);
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    if (trace.parts.size() > 1) {
        text_cut(trace.parts[index].name, trace.parts[index].name, look);
    }
    ImGui::TableNextColumn();
    const std::string file = std::filesystem::path(trace.path).filename().string();
    text_cut(file, trace.path, look);
    ImGui::TableNextColumn();
    number(format_count(static_cast<int64_t>(trace.facts.events)));
    ImGui::TableNextColumn();
    number(format_duration(span.length()));
    ImGui::TableNextColumn();
    const Nanos begin = span.begin - trace.origin;
    std::string text = edited_ == index ? typed_ : format_duration_exact(begin);
    const float moves = several ? 2 * look.px(kMoveWidth + 4) : 0;
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - moves);
    ImGui::BeginDisabled(!several);
    const bool entered = ImGui::InputText(
        "##begin", &text, ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
    note_place("begin " + at);
    ImGui::EndDisabled();
    if (ImGui::IsItemActive()) {
        edited_ = index;
        typed_ = text;
    } else if (edited_ == index) {
        edited_.reset();
    }
    if (entered)
        if (const auto time = parse_begin(text)) requests.add(BeginTraceAt{index, *time});
    if (several) {
        ImGui::SameLine(0, look.px(4));
        if (ImGui::Button("−", {look.px(kMoveWidth), 0}))
            requests.add(BeginTraceAt{index, begin - kOneStep});
        ImGui::SetItemTooltip("10 µs earlier");
        note_place("earlier " + at);
        ImGui::SameLine(0, look.px(4));
        if (ImGui::Button("+", {look.px(kMoveWidth), 0}))
            requests.add(BeginTraceAt{index, begin + kOneStep});
        ImGui::SetItemTooltip("10 µs later");
        note_place("later " + at);
    }
    ImGui::TableNextColumn();
    if (ImGui::Button("Show")) answer.frame = index;
    ImGui::SetItemTooltip("Frame all of it");
    ImGui::SameLine();
    if (several && ImGui::Button("Remove")) requests.add(RemoveTrace{index});
    if (several) note_place("remove " + at);
}

TracesAnswer TracesPanel::draw_contents(const TracesShown& shown, const Look& look,
                                        Requests& requests) {
    TracesAnswer answer;
    places_.clear();
    if (shown.parts.empty()) {
        ImGui::TextDisabled("The traces of this window are listed here.");
        return answer;
    }
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.px(7), look.px(2)});
    draw_tools(shown, look, requests);
    const ImGuiTableFlags flags =
        ImGuiTableFlags_ScrollY | ImGuiTableFlags_Resizable | ImGuiTableFlags_NoBordersInBody;
    ImGui::PushFont(look.fonts.regular, type::kTable);
    if (ImGui::BeginTable("traces", 7, flags)) {
        ImGui::TableSetupScrollFreeze(0, 1);
        ImGui::TableSetupColumn("Tables", ImGuiTableColumnFlags_WidthFixed, look.px(44));
        ImGui::TableSetupColumn("Trace", ImGuiTableColumnFlags_WidthStretch, 1);
        ImGui::TableSetupColumn("File", ImGuiTableColumnFlags_WidthStretch, 2);
        ImGui::TableSetupColumn("Events", ImGuiTableColumnFlags_WidthFixed, look.px(80));
        ImGui::TableSetupColumn("Length", ImGuiTableColumnFlags_WidthFixed, look.px(80));
        ImGui::TableSetupColumn("Begins at", ImGuiTableColumnFlags_WidthFixed, look.px(210));
        ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, look.px(120));
        ImGui::PushStyleColor(ImGuiCol_Text, look.colors.low);
        ImGui::TableHeadersRow();
        ImGui::PopStyleColor();
        for (uint32_t i = 0; i < shown.parts.size(); ++i) {
            ImGui::TableNextRow();
            ImGui::PushID(static_cast<int>(i));
            draw_part(shown, i, look, requests, answer);
            ImGui::PopID();
        }
        for (const PartProblem& problem : shown.problems) {
            ImGui::TableNextRow();
            ImGui::TableSetColumnIndex(2);
            ImGui::PushStyleColor(ImGuiCol_Text, look.colors.costs);
            ImGui::TextWrapped("%s", problem.error.text.c_str());
            ImGui::PopStyleColor();
        }
        ImGui::EndTable();
    }
    ImGui::PopFont();
    ImGui::PopStyleVar();
    return answer;
}

std::string_view TracesPanel::name() const {
    return kTracesPanel;
}

void TracesPanel::draw(Frame& frame) {
    const OpenTrace& trace = *frame.trace;
    const LoadedTrace* const loaded = frame.loaded();
    const std::vector<TracePtr> no_parts;
    const std::vector<PartProblem> no_problems;
    const TracesAnswer answer =
        draw_contents({loaded ? loaded->parts : no_parts, trace.shown_part, trace.alignment,
                       loaded ? loaded->aligned_by : AlignBy::best, trace.is_moving(),
                       loaded ? loaded->problems : no_problems},
                      frame.look, frame.requests);
    if (answer.show_part) frame.show_part(*answer.show_part);
    if (answer.frame) frame.requests.add(FrameRange{loaded->parts[*answer.frame]->content});
}

void TracesPanel::describe(const Frame& frame, nlohmann::json& state) const {
    if (!frame.timeline.index) return;
    nlohmann::json places = nlohmann::json::object();
    for (const Place& place : places_) places[place.what] = {place.middle.x, place.middle.y};
    state["traces"]["places"] = places;
}

}  // namespace lanescope
