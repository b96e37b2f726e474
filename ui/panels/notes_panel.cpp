#include "ui/panels/notes_panel.h"

#include <imgui_stdlib.h>

#include <algorithm>
#include <filesystem>

#include "core/base/format.h"
#include "ui/commands/panel_names.h"
#include "ui/panels/link.h"
#include "ui/panels/panel_column.h"
#include "ui/timeline/notes_layer.h"

namespace lanescope {

namespace {

constexpr float kEditorWidth = 320;
constexpr float kNumberWidth = 26;

void wrapped(const std::string& text, ImU32 color) {
    ImGui::PushStyleColor(ImGuiCol_Text, color);
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text.data(), text.data() + text.size());
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
}

// A range's length; a mark's distance to the previous mark.
std::string measure(const Timeline& timeline, std::size_t index) {
    const Note& note = timeline.layer<NotesLayer>().notes[index];
    if (!note.is_mark()) return format_duration_exact(note.time.length());
    for (std::size_t i = index; i-- > 0;) {
        const Note& other = timeline.layer<NotesLayer>().notes[i];
        if (other.is_mark()) return "+" + format_duration_exact(note.time.begin - other.time.begin);
    }
    return {};
}

void draw_note(PanelColumn& c, const Timeline& timeline, uint32_t index, Requests& requests) {
    const Note& note = timeline.layer<NotesLayer>().notes[index];
    const bool chosen = timeline.layer<NotesLayer>().chosen == index;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float line = c.look.px(kLinkHeight);
    draw_text(c.list, c.look, c.look.fonts.medium, type::kTable,
              {at.x, text_y(c.look, type::kTable, at.y, line)},
              chosen ? c.look.colors.accent : c.look.colors.low, std::to_string(index + 1));
    const std::string length = measure(timeline, index);
    const float length_width = text_width(c.look, c.look.fonts.regular, type::kTable, length);
    const float indent = c.look.px(kNumberWidth);
    const std::string when = format_duration_exact(note.time.begin - timeline.trace().origin);
    if (draw_link(c.look, {at.x + indent, at.y}, "time", when,
                  c.width() - indent - length_width - c.look.px(8), c.look.fonts.regular))
        requests.add(ChooseNote{index, true});
    draw_text(c.list, c.look, c.look.fonts.regular, type::kTable,
              {c.x1 - length_width, text_y(c.look, type::kTable, at.y, line)}, c.look.colors.mid,
              length);
    ImGui::SetCursorScreenPos({at.x + indent, at.y + line});
    if (!note.text.empty()) {
        wrapped(note.text, c.look.colors.hi);
        copy_menu("note text", note.text);
    }
    const ImVec2 below = ImGui::GetCursorScreenPos();
    const float x = at.x + indent;
    const char* const edit = note.text.empty() ? "Write" : "Edit";
    const float gap = text_width(c.look, c.look.fonts.regular, type::kTable, edit) + c.look.px(14);
    if (draw_link(c.look, {x, below.y}, "edit", edit, c.width(), c.look.fonts.regular)) {
        requests.add(ChooseNote{index});
        requests.act(Action::edit_note);
    }
    if (draw_link(c.look, {x + gap, below.y}, "delete", "Delete", c.width(),
                  c.look.fonts.regular)) {
        requests.add(ChooseNote{index});
        requests.act(Action::delete_note);
    }
    ImGui::SetCursorScreenPos({at.x, below.y + line + c.look.px(8)});
    ImGui::Dummy({0, 0});
}

void draw_notes(const Timeline& timeline, const NotesState& notes, const Look& look,
                Requests& requests) {
    PanelColumn c = panel_column(look);
    if (!timeline.index || !notes.loaded) return;
    for (const NotedFile& file : notes.files) {
        if (file.warning.empty()) continue;
        wrapped(file.warning, look.colors.waiting);
        ImGui::Dummy({0, look.px(4)});
    }
    if (timeline.layer<NotesLayer>().notes.empty()) {
        wrapped("No notes on this trace yet.", look.colors.mid);
        ImGui::Dummy({0, look.px(4)});
        wrapped(
            "M marks the time under the pointer; two marks show the distance between them. Shift + "
            "M writes a note on the marked range, the selected slice, or the time under the "
            "pointer.",
            look.colors.low);
        return;
    }
    for (uint32_t i = 0; i < timeline.layer<NotesLayer>().notes.size(); ++i) {
        ImGui::PushID(static_cast<int>(i));
        draw_note(c, timeline, i, requests);
        ImGui::PopID();
    }
    for (const NotedFile& file : notes.files) {
        if (file.kept_at == file.places.beside)
            wrapped("Kept beside the trace in " +
                        std::filesystem::path(file.kept_at).filename().string(),
                    look.colors.low);
        else if (!file.kept_at.empty())
            wrapped("Kept in " + file.kept_at, look.colors.low);
    }
}

}  // namespace

std::string_view NotesPanel::name() const {
    return kNotesPanel;
}

void NotesPanel::draw(Frame& frame) {
    if (frame.live())
        ImGui::TextWrapped("Notes can be made when the recording has ended.");
    else
        draw_notes(frame.timeline, frame.trace->state.get<NotesState>(), frame.look,
                   frame.requests);
}

EditorAnswer draw_note_editor(const Timeline& timeline, NoteEditor& editor, const Look& look) {
    const Box& lanes = timeline.areas.lanes;
    const double px = timeline.camera.view().px_of(editor.time.begin);
    const float width = look.px(kEditorWidth);
    const float max_x = std::max(lanes.x0, lanes.x1 - width - look.px(8));
    const float x =
        std::clamp(lanes.x0 + static_cast<float>(std::clamp(px, -1e4, 1e5)), lanes.x0, max_x);
    ImGui::SetNextWindowPos({x, lanes.y0 + look.px(4)});
    ImGui::SetNextWindowSize({width, 0});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, look.colors.raised);
    ImGui::PushStyleColor(ImGuiCol_Border, look.colors.accent);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {look.px(10), look.px(8)});
    ImGui::Begin("##note", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings);
    EditorAnswer answer = EditorAnswer::none;
    const bool focusing = editor.focus;
    if (std::exchange(editor.focus, false)) ImGui::SetKeyboardFocusHere();
    ImGui::SetNextItemWidth(-1);
    if (ImGui::InputTextWithHint("##text", "Text of the note, then Enter", &editor.text,
                                 ImGuiInputTextFlags_EnterReturnsTrue))
        answer = EditorAnswer::keep;
    else if (!focusing &&
             (ImGui::IsKeyPressed(ImGuiKey_Escape, false) ||
              (ImGui::IsMouseClicked(0) &&
               !ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem))))
        answer = EditorAnswer::drop;
    ImGui::End();
    ImGui::PopStyleVar(2);
    ImGui::PopStyleColor(2);
    return answer;
}

}  // namespace lanescope
