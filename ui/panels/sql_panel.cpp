#include "ui/panels/sql_panel.h"

#include <fmt/format.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "core/base/format.h"
#include "core/base/text_place.h"
#include "core/sql/completion.h"
#include "ui/commands/panel_names.h"
#include "ui/panels/link.h"
#include "ui/panels/panel_column.h"
#include "ui/panels/sql_examples.h"
#include "ui/panels/table_cells.h"

namespace lanescope {

namespace {

constexpr float kSqlTools = 520;  // the width of the first line
constexpr float kSqlToolPadding = 8;
constexpr float kSideBySide = 760;    // the least width for the result beside the query
constexpr float kQueryShare = 0.42f;  // of that width
constexpr float kLeastQuery = 300;
constexpr float kMostQuery = 620;
constexpr float kBetween = 14;
constexpr float kLeastEditor = 54;
constexpr float kEditorShare = 0.4f;  // of the height, if the result is below
constexpr float kMostNote = 0.45f;    // of the height
constexpr std::size_t kMostWords = 60;
constexpr double kSqlUpdateSeconds = 0.1;

std::string note_of(const SqlAnswer& answer) {
    if (!answer.error) return {};
    if (answer.error->code == ErrorCode::cancelled)
        return "Cancelled after " + format_duration(answer.took) + ".";
    if (answer.error->byte_offset == Error::no_offset) return answer.error->text;
    const TextPlace place = place_in_text(answer.script, answer.error->byte_offset);
    return fmt::format("Line {}, column {}: {}", place.line, place.column, answer.error->text);
}

std::string words_listed(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < std::min(words.size(), kMostWords); ++i)
        text += (i == 0 ? "" : "  ") + words[i];
    if (words.size() >= kMostSqlWords)
        text += "  …";
    else if (words.size() > kMostWords)
        text += fmt::format("  and {} more", words.size() - kMostWords);
    return text;
}

// Copies the list of rows, but not their values, which both tables share.
Table all_rows_of(const Table& table) {
    std::vector<uint32_t> rows(table.row_count());
    std::iota(rows.begin(), rows.end(), 0U);
    return table.picked(rows);
}

}  // namespace

std::string_view SqlPanel::name() const {
    return kSqlPanel;
}

float SqlPanel::width_of_tools(const Look& look) const {
    return look.px(kSqlTools);
}

bool SqlPanel::has_rows() const {
    const SqlAnswer* const answer = runner_.answer();
    return answer && answer->table && answer->row_count > 0;
}

bool SqlPanel::ready() const {
    return !runner_.running() && shown_answer_ == runner_.answers() &&
           (!has_rows() || result_.ready());
}

bool SqlPanel::save_rows(Frame& frame) {
    return has_rows() && result_.save_rows(frame);
}

void SqlPanel::forget() {
    runner_.forget();
    result_.forget();
    result_.set_source({});
    note_.clear();
    editor_.unmark();
    only_.reset();
    making_lane_.drop();
    lane_.reset();
    lanes_made_ = 0;
}

void SqlPanel::note_place(std::string name) {
    places_.push_back({std::move(name), middle_of_item()});
}

void SqlPanel::follow_answer() {
    const SqlAnswer* const answer = runner_.answer();
    if (!answer || shown_answer_ == runner_.answers()) return;
    shown_answer_ = runner_.answers();
    result_.forget();
    result_.set_source({});
    if (answer->table)
        result_.set_source([table = answer->table](const TraceContext&, const TableQuery&) {
            return all_rows_of(*table);
        });
    note_ = note_of(*answer);
    const bool has_place = answer->error && answer->error->byte_offset != Error::no_offset;
    if (has_place && editor_.text() == answer->script)
        editor_.mark(static_cast<std::size_t>(answer->error->byte_offset), has_keyboard_);
}

void SqlPanel::run(const SqlInputs& inputs) {
    if (runner_.running() || is_blank_query(editor_.text())) return;
    remember_query(*inputs.settings, editor_.text());
    editor_.unmark();
    note_.clear();
    runner_.run(inputs.session, editor_.text(), only_, *inputs.table.jobs, inputs.now);
}

void SqlPanel::draw_choice_of_trace(const SqlInputs& inputs, const Look& look) {
    const std::vector<std::string>& names = inputs.session->names;
    if (names.size() < 2) return;
    ImGui::SameLine();
    ImGui::SetNextItemWidth(look.px(110));
    if (ImGui::BeginCombo("##of", only_ ? names[*only_].c_str() : "All traces")) {
        if (ImGui::Selectable("All traces", !only_)) only_.reset();
        for (std::size_t i = 0; i < names.size(); ++i)
            if (ImGui::Selectable(names[i].c_str(), only_ == i)) only_ = i;
        ImGui::EndCombo();
    }
    ImGui::SetItemTooltip("The traces that are queried; of several, each row says its trace");
    note_place("traces");
}

std::string SqlPanel::status(double now) const {
    if (runner_.running())
        return "Running … " + format_duration_in(static_cast<Nanos>((now - runner_.begun()) * 1e9),
                                                 TimeUnit::s, 1);
    const SqlAnswer* const answer = runner_.answer();
    if (!answer || answer->error) return {};
    std::string took = "took " + format_duration(answer->took);
    const auto count = static_cast<int64_t>(answer->row_count);
    if (answer->row_count <= kMostSqlRows) return took;
    return fmt::format("the first {} of {} rows are shown  ·  {}",
                       format_count(static_cast<int64_t>(kMostSqlRows)), format_count(count), took);
}

void SqlPanel::draw_tools(const SqlInputs& inputs, const Look& look, Requests& requests) {
    ImGui::PushFont(look.fonts.regular, type::kTable);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.px(kSqlToolPadding), look.px(3)});
    ImGui::BeginDisabled(runner_.running() || is_blank_query(editor_.text()));
    if (ImGui::Button("Run")) run(inputs);
    ImGui::EndDisabled();
    ImGui::SetItemTooltip("Run the query  Ctrl+Enter");
    note_place("Run");
    if (runner_.running()) {
        ImGui::SameLine();
        if (ImGui::Button("Cancel")) runner_.cancel();
        ImGui::SetItemTooltip("Stop the query  Esc");
        note_place("Cancel");
    }
    ImGui::SameLine();
    draw_history(inputs, look);
    ImGui::SameLine();
    draw_saved(inputs, look);
    ImGui::SameLine();
    draw_lane_button(inputs, look, requests);
    draw_choice_of_trace(inputs, look);
    ImGui::SameLine();
    ImGui::PushStyleColor(ImGuiCol_Text, look.colors.mid);
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(status(inputs.now).c_str());
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    ImGui::PopFont();
}

void SqlPanel::draw_query(const SqlInputs& inputs, const Look& look, ImVec2 size) {
    ImGui::BeginChild("query", size, ImGuiChildFlags_None, ImGuiWindowFlags_NoScrollbar);
    ImGui::PushFont(look.fonts.regular, type::kTable);
    const ImVec2 room = ImGui::GetContentRegionAvail();
    // Words that Tab lists are newer than the note of the last query.
    const bool has_words = !editor_.words().empty();
    const std::string below = has_words ? words_listed(editor_.words()) : note_;
    float height = 0;
    if (!below.empty())
        height = std::min(ImGui::CalcTextSize(below.c_str(), nullptr, false, room.x).y,
                          room.y * kMostNote) +
                 look.px(8);
    const bool was_focused = editor_.focused();
    if (editor_.draw(look, {room.x, std::max(room.y - height, look.px(kLeastEditor))},
                     runner_.names(), inputs.settings->sql_history))
        run(inputs);
    if (was_focused && ImGui::IsKeyPressed(ImGuiKey_Escape, false)) runner_.cancel();
    if (!below.empty()) {
        const SqlAnswer* const answer = runner_.answer();
        const bool failed =
            !has_words && answer && answer->error && answer->error->code != ErrorCode::cancelled;
        ImGui::PushStyleColor(ImGuiCol_Text, failed ? look.colors.costs : look.colors.mid);
        ImGui::PushTextWrapPos(0);
        ImGui::TextUnformatted(below.data(), below.data() + below.size());
        ImGui::PopTextWrapPos();
        ImGui::PopStyleColor();
        if (!has_words) copy_menu("sql note", note_);
    }
    ImGui::PopFont();
    ImGui::EndChild();
}

void SqlPanel::draw_examples(const Look& look) {
    ImGui::TextDisabled("Examples");
    for (const SqlExample& example : sql_examples()) {
        const std::string id(example.title);
        if (draw_link(look, ImGui::GetCursorScreenPos(), id.c_str(), example.title,
                      ImGui::GetContentRegionAvail().x, look.fonts.regular))
            editor_.set_text(std::string(example.query));
        note_place(id);
        ImGui::SetItemTooltip("%s", std::string(example.query).c_str());
    }
}

void SqlPanel::draw_result(const SqlInputs& inputs, const Look& look, Requests& requests) {
    ImGui::BeginChild("result", {0, 0});
    const SqlAnswer* const answer = runner_.answer();
    ImGui::PushFont(look.fonts.regular, type::kTable);
    if (!answer && is_blank_query(editor_.text()))
        draw_examples(look);
    else if (!answer)
        ImGui::TextDisabled("Ctrl+Enter runs the query, Tab completes names.");
    else if (!answer->error && !answer->table)
        ImGui::TextDisabled("Done: the query has no result.");
    else if (!answer->error && answer->row_count == 0)
        ImGui::TextDisabled("No rows.");
    ImGui::PopFont();
    if (has_rows()) result_.draw_contents(inputs.table, look, requests);
    ImGui::EndChild();
}

void SqlPanel::draw_contents(const SqlInputs& inputs, const Look& look, Requests& requests) {
    places_.clear();
    if (!inputs.session) {
        say(look, inputs.table.live ? "Queries can run when the recording has ended."
                                    : why_nothing_to_show(inputs.table));
        return;
    }
    if (only_ && *only_ >= inputs.session->names.size()) only_.reset();
    has_keyboard_ = ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows);
    follow_answer();
    runner_.read_names(inputs.session, *inputs.table.jobs);
    draw_tools(inputs, look, requests);
    const ImVec2 room = ImGui::GetContentRegionAvail();
    if (room.x >= look.px(kSideBySide)) {
        const float width =
            std::clamp(room.x * kQueryShare, look.px(kLeastQuery), look.px(kMostQuery));
        draw_query(inputs, look, {std::round(width), room.y});
        ImGui::SameLine(0, look.px(kBetween));
    } else {
        draw_query(inputs, look, {room.x, std::round(room.y * kEditorShare)});
    }
    draw_result(inputs, look, requests);
}

void SqlPanel::draw(Frame& frame) {
    SqlInputs inputs{panel_inputs(frame), nullptr, &frame.settings, frame.now};
    if (LoadedTrace* const loaded = frame.loaded(); loaded && !frame.live()) {
        inputs.session = session_of(*loaded);
        // The rows of all parts are shown, whatever part other panels show.
        inputs.table.context = loaded->contexts.front();
        inputs.table.selected = frame.timeline.selected;
        inputs.table.range.reset();
    }
    draw_contents(inputs, frame.look, frame.requests);
    if (runner_.running()) frame.pacing.set_deadline(frame.now + kSqlUpdateSeconds);
}

}  // namespace lanescope
