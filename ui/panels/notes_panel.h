// The notes of a trace: their state in the window, the list of them, and the field in which a text
// is written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/session/notes.h"
#include "ui/shell/requests.h"
#include "ui/timeline/timeline.h"

namespace lanescope {

// A text that is being written, of a note that there is or of a new one.
struct NoteEditor {
    TimeRange time;
    std::optional<uint32_t> note;  // in Timeline::notes; none: a new one
    std::string text;
    uint32_t part = 0;  // Note::part of a new one
    bool focus = true;  // in the next frame
};

// Where the notes of one trace are kept.
struct NotedFile {
    NotedTrace trace;
    NotesPlaces places;
    std::string kept_at;      // empty: in no file yet
    std::string warning;      // what loading them told; empty: nothing
    bool may_save = true;     // false: a broken file stands in the way
    std::vector<Note> saved;  // what is in it
};

// What belongs to the notes beside the notes themselves, which the timeline has.
struct NotesState {
    std::vector<NotedFile> files;  // one a trace; empty until they are loaded
    bool loaded = false;           // only then may they change
    std::vector<Note> taken_away;  // the last at the end
    std::optional<NoteEditor> editor;
};

void draw_notes(const Timeline& timeline, const NotesState& notes, const Look& look,
                Requests& requests);

enum class EditorAnswer { none, keep, drop };
// Over the timeline, below the note's place. Enter keeps, Escape and a click beside it drop.
EditorAnswer draw_note_editor(const Timeline& timeline, NoteEditor& editor, const Look& look);

}  // namespace lanescope
