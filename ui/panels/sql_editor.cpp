#include "ui/panels/sql_editor.h"

#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/base/text_place.h"
#include "core/sql/completion.h"
#include "core/sql/tokens.h"

namespace lanescope {

namespace {

constexpr const char* kField = "##sql";
constexpr float kShortestLine = 6;  // below the place of an error, in design pixels
constexpr const char* kIndentation = "  ";

bool is_blank(std::string_view text) {
    return text.find_first_not_of(" \t") == std::string_view::npos;
}

// The window that Dear ImGui makes inside a field of several lines.
const ImGuiWindow* window_of_field(ImGuiID id) {
    for (const ImGuiWindow* const child : ImGui::GetCurrentWindow()->DC.ChildWindows)
        if (child->ChildId == id) return child;
    return nullptr;
}

}  // namespace

void SqlEditor::set_text(std::string text) {
    text_ = std::move(text);
    words_.clear();
    reload_ = true;
    focus_wanted_ = true;
}

void SqlEditor::mark(std::size_t place, bool moves_caret) {
    marked_ = place;
    marked_in_ = text_;
    if (!moves_caret) return;
    caret_wanted_ = place;
    focus_wanted_ = true;
}

void SqlEditor::recall(bool earlier, const std::vector<std::string>& history) {
    const std::size_t next = earlier ? std::min(back_ + 1, history.size()) : back_ - (back_ > 0);
    if (next == back_) return;
    if (back_ == 0) typed_ = text_;
    set_text(next == 0 ? typed_ : history[next - 1]);
    back_ = next;
}

void SqlEditor::complete(ImGuiInputTextCallbackData& data, const SqlNames& names) {
    const std::string_view text(data.Buf, static_cast<std::size_t>(data.BufTextLen));
    const auto caret = static_cast<std::size_t>(data.CursorPos);
    words_.clear();
    const std::size_t line = place_in_text(text, caret).line_begin;
    if (is_blank(text.substr(line, caret - line))) {
        data.InsertChars(data.CursorPos, kIndentation);
        return;
    }
    SqlCompletion found = complete_sql(text, caret, names.tables, names.functions);
    const std::string insertion = insertion_of(found, caret - found.begin);
    if (!insertion.empty())
        data.InsertChars(data.CursorPos, insertion.c_str());
    else
        words_ = std::move(found.words);
}

int SqlEditor::on_event(ImGuiInputTextCallbackData* data) {
    const auto* const calls = static_cast<Calls*>(data->UserData);
    SqlEditor& editor = *calls->editor;
    if (data->EventFlag == ImGuiInputTextFlags_CallbackCompletion)
        editor.complete(*data, *calls->names);
    if (editor.caret_wanted_) {
        data->CursorPos = std::min(static_cast<int>(*editor.caret_wanted_), data->BufTextLen);
        data->SelectionStart = data->SelectionEnd = data->CursorPos;
        editor.caret_wanted_.reset();
    }
    editor.caret_ = static_cast<std::size_t>(data->CursorPos);
    return 0;
}

bool SqlEditor::draw(const Look& look, ImVec2 size, const SqlNames& names,
                     const std::vector<std::string>& history) {
    ImGui::PushFont(look.fonts.mono, type::kText);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.px(8), look.px(6)});
    const ImGuiID id = ImGui::GetID(kField);
    if (focused_ && ImGui::IsKeyChordPressed(ImGuiMod_Ctrl | ImGuiKey_UpArrow))
        recall(true, history);
    if (focused_ && ImGui::IsKeyChordPressed(ImGuiMod_Ctrl | ImGuiKey_DownArrow))
        recall(false, history);
    if (std::exchange(reload_, false))
        if (ImGuiInputTextState* const state = ImGui::GetInputTextState(id))
            state->ReloadUserBufAndMoveToEnd();
    if (std::exchange(focus_wanted_, false)) ImGui::SetKeyboardFocusHere();
    const std::string before = text_;
    Calls calls{this, &names};
    const bool entered =
        ImGui::InputTextMultiline(kField, &text_, size,
                                  ImGuiInputTextFlags{ImGuiInputTextFlags_EnterReturnsTrue} |
                                      ImGuiInputTextFlags{ImGuiInputTextFlags_CallbackCompletion} |
                                      ImGuiInputTextFlags{ImGuiInputTextFlags_CallbackAlways},
                                  on_event, &calls);
    const ImVec2 min = ImGui::GetItemRectMin();
    const ImVec2 max = ImGui::GetItemRectMax();
    middle_ = {(min.x + max.x) / 2, (min.y + max.y) / 2};
    if (focused_ && ImGui::IsKeyPressed(ImGuiKey_Escape)) text_ = before_escape_;
    focused_ = ImGui::GetActiveID() == id;
    if (focused_) before_escape_ = text_;
    if (text_ != before) {
        words_.clear();
        back_ = 0;
    }
    if (entered) focus_wanted_ = true;  // Dear ImGui leaves the field
    // The field's own window covers what is drawn into the panel's.
    if (const ImGuiWindow* const field = focused_ ? window_of_field(id) : nullptr) {
        field->DrawList->PushClipRect(min, max);
        field->DrawList->AddRect(min, max, look.colors.accent, ImGui::GetStyle().FrameRounding);
        field->DrawList->PopClipRect();
    }
    if (marked_ && text_ == marked_in_) underline(look, id);
    ImGui::PopStyleVar();
    ImGui::PopFont();
    return entered;
}

// From the marked place to the end of the word.
void SqlEditor::underline(const Look& look, ImGuiID id) const {
    const ImGuiWindow* const field = window_of_field(id);
    if (!field) return;
    const TextPlace place = place_in_text(text_, *marked_);
    std::size_t end = place.offset;
    while (end < place.line_end && is_word_letter(text_[end])) ++end;
    const auto width = [&](std::size_t from, std::size_t to) {
        return ImGui::CalcTextSize(text_.data() + from, text_.data() + to).x;
    };
    const ImGuiInputTextState* const state = focused_ ? ImGui::GetInputTextState(id) : nullptr;
    const ImVec2 padding = ImGui::GetStyle().FramePadding;
    const float x = field->Pos.x + padding.x - field->Scroll.x - (state ? state->Scroll.x : 0) +
                    width(place.line_begin, place.offset);
    const float y = field->Pos.y + padding.y - field->Scroll.y +
                    ImGui::GetFontSize() * static_cast<float>(place.line);
    ImDrawList& list = *field->DrawList;
    list.PushClipRect(field->InnerRect.Min, field->InnerRect.Max, true);
    list.AddRectFilled(
        {x, y - look.px(1)},
        {x + std::max(look.px(kShortestLine), width(place.offset, end)), y + look.px(1)},
        look.colors.costs);
    list.PopClipRect();
}

}  // namespace lanescope
