// The notes of a trace: their state in the window, their list, and the field for editing a text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/session/notes.h"
#include "ui/commands/requests.h"
#include "ui/panels/panel.h"
#include "ui/timeline/timeline.h"

namespace lanescope {

// The text of an existing or new note while it is being edited.
struct NoteEditor {
    TimeRange time;
    std::optional<uint32_t> note;  // index in Timeline::notes; none: a new note
    std::string text;
    uint32_t part = 0;  // Note::part of a new note
    bool focus = true;  // focus the field in the next frame
};

// Where the notes of one trace are stored.
struct NotedFile {
    NotedTrace trace;
    NotesPlaces places;
    std::string kept_at;      // empty: in no file yet
    std::string warning;      // error of loading; empty: none
    bool may_save = true;     // false: a broken file prevents saving
    std::vector<Note> saved;  // its contents
    std::string older;        // see LoadedNotes::older
};

// The state of the notes, except the notes themselves, which the timeline has; in
// OpenTrace::state.
struct NotesState {
    std::vector<NotedFile> files;  // one for each trace; empty until loaded
    bool loaded = false;           // notes may change only when this is true
    std::vector<Note> tried;       // the notes that were saved last, or could not be saved
    std::optional<NoteEditor> editor;
};

class NotesPanel : public Panel {
  public:
    std::string_view name() const override;
    void draw(Frame& frame) override;
};

enum class EditorAnswer { none, keep, drop };
// Drawn over the timeline, below the note's place. Enter saves; Escape or a click outside cancels.
EditorAnswer draw_note_editor(const Timeline& timeline, NoteEditor& editor, const Look& look);

}  // namespace lanescope
