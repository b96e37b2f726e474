// The lists that open from the first line of the panel SQL.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <utility>

#include "core/base/format.h"
#include "ui/panels/sql_examples.h"
#include "ui/panels/sql_panel.h"

namespace lanescope {

namespace {

constexpr float kSqlList = 460;  // the width of open lists
constexpr float kMostSqlList = 420;
constexpr float kListButton = 72;
constexpr float kListPadding = 8;
constexpr std::size_t kPlacesListed = 10;

// A query in one line.
std::string in_one_line(std::string_view query) {
    std::string line;
    for (const char c : query) {
        const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
        if (!blank)
            line += c;
        else if (!line.empty() && line.back() != ' ')
            line += ' ';
    }
    return line;
}

// Begins a list below the button drawn last.
bool begin_list(const char* id, bool pressed, const Look& look) {
    const ImVec2 below(ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + look.px(4));
    if (pressed) ImGui::OpenPopup(id);
    if (ImGui::IsPopupOpen(id)) {
        ImGui::SetNextWindowPos(below, ImGuiCond_Appearing);
        ImGui::SetNextWindowSizeConstraints({look.px(kSqlList), 0},
                                            {look.px(kSqlList), look.px(kMostSqlList)});
    }
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {look.px(8), look.px(8)});
    const bool open = ImGui::BeginPopup(id);
    ImGui::PopStyleVar();
    return open;
}

}  // namespace

bool is_blank_query(std::string_view query) {
    return query.find_first_not_of(" \n\t\r") == std::string_view::npos;
}

void SqlPanel::draw_history(const SqlInputs& inputs, const Look& look) {
    const std::vector<std::string>& history = inputs.settings->sql_history;
    ImGui::BeginDisabled(history.empty());
    const bool pressed = ImGui::Button("History");
    ImGui::EndDisabled();
    ImGui::SetItemTooltip("Earlier queries  Ctrl+Up, Ctrl+Down");
    note_place("History");
    if (!begin_list("sql history", pressed, look)) return;
    for (std::size_t i = 0; i < history.size(); ++i) {
        ImGui::PushID(static_cast<int>(i));
        if (ImGui::Selectable(in_one_line(history[i]).c_str())) editor_.set_text(history[i]);
        if (i < kPlacesListed) note_place(fmt::format("history {}", i + 1));
        ImGui::SetItemTooltip("%s", history[i].c_str());
        ImGui::PopID();
    }
    ImGui::EndPopup();
}

void SqlPanel::draw_saved_line(const std::string& name, std::optional<std::string>& deleted,
                               const SqlInputs& inputs, const Look& look) {
    const std::string& query = inputs.settings->sql_queries.at(name);
    const float room = ImGui::GetContentRegionAvail().x;
    const float button = ImGui::CalcTextSize("Delete").x + look.px(2 * kListPadding);
    if (ImGui::Selectable(name.c_str(), false, 0, {room - button - look.px(8), 0}))
        editor_.set_text(query);
    note_place("saved " + name);
    ImGui::SetItemTooltip("%s", query.c_str());
    ImGui::SameLine(room - button + look.px(kListPadding));
    if (ImGui::SmallButton("Delete")) deleted = name;
    note_place("delete " + name);
}

void SqlPanel::draw_saved(const SqlInputs& inputs, const Look& look) {
    const bool pressed = ImGui::Button("Saved");
    ImGui::SetItemTooltip("Queries under names, and examples");
    note_place("Saved");
    if (!begin_list("sql saved", pressed, look)) return;
    auto& queries = inputs.settings->sql_queries;
    const bool can_save = !saved_as_.empty() && !is_blank_query(editor_.text());
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - look.px(kListButton));
    const bool entered = ImGui::InputTextWithHint("##name", "Name for the present query",
                                                  &saved_as_, ImGuiInputTextFlags_EnterReturnsTrue);
    note_place("name");
    ImGui::SameLine();
    ImGui::BeginDisabled(!can_save);
    if (ImGui::Button("Save") || (entered && can_save)) {
        queries[saved_as_] = editor_.text();
        saved_as_.clear();
    }
    ImGui::EndDisabled();
    note_place("Save");
    std::optional<std::string> deleted;
    for (const auto& entry : queries) {
        ImGui::PushID(entry.first.c_str());
        draw_saved_line(entry.first, deleted, inputs, look);
        ImGui::PopID();
    }
    if (deleted) queries.erase(*deleted);
    ImGui::Separator();
    ImGui::TextDisabled("Examples");
    for (const SqlExample& example : sql_examples())
        if (ImGui::Selectable(std::string(example.title).c_str()))
            editor_.set_text(std::string(example.query));
    ImGui::EndPopup();
}

void SqlPanel::make_lane(const SqlInputs& inputs) {
    const TracePtr& trace = inputs.table.shown;
    if (!trace || !has_rows()) return;
    making_lane_.ask(
        *inputs.table.jobs,
        [table = runner_.answer()->table, name = lane_name_,
         span = TimeRange{trace->origin, trace->end}] {
            return make_query_lane(*table, name, span);
        },
        [this](QueryLanePtr lane) { lane_ = std::move(lane); }, JobQueue::analysis);
}

void SqlPanel::draw_lane_button(const SqlInputs& inputs, const Look& look, Requests& requests) {
    if (const std::optional<QueryLanePtr> lane = std::exchange(lane_, std::nullopt)) {
        if (*lane) requests.add(AddQueryLane{*lane});
        if (!*lane)
            requests.add(Notify{"No row has a time of the trace."});
        else if ((*lane)->left_out > 0)
            requests.add(Notify{fmt::format(
                "{} of the rows are not in the lane: they have no time of the trace, or overlap "
                "too "
                "many others.",
                format_count(static_cast<int64_t>((*lane)->left_out)))});
        if (*lane) ++lanes_made_;
    }
    const bool possible =
        has_rows() && query_lane_kind(runner_.answer()->table->spec()) != QueryLaneKind::none;
    ImGui::BeginDisabled(!possible || making_lane_.busy());
    const bool pressed = ImGui::Button("Show as lane");
    ImGui::EndDisabled();
    ImGui::SetItemTooltip("%s", possible ? "Show the rows above the lanes of the trace"
                                         : "For rows with ts, dur and name, or with ts and value");
    note_place("Show as lane");
    if (pressed) lane_name_ = fmt::format("SQL {}", lanes_made_ + 1);
    if (!begin_list("sql lane", pressed, look)) return;
    if (pressed || ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - look.px(kListButton));
    const bool entered = ImGui::InputTextWithHint("##lane", "Name of the lane", &lane_name_,
                                                  ImGuiInputTextFlags_EnterReturnsTrue);
    ImGui::SameLine();
    ImGui::BeginDisabled(lane_name_.empty());
    if (ImGui::Button("Show") || (entered && !lane_name_.empty())) {
        make_lane(inputs);
        ImGui::CloseCurrentPopup();
    }
    ImGui::EndDisabled();
    note_place("Show");
    ImGui::EndPopup();
}

}  // namespace lanescope
