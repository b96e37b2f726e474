// Notes: marks and ranges of time with a text. Each change is kept in a small JSON file in the
// user's data folder; on request, the notes are saved beside the trace, where others find them.
// docs/formats/notes.md describes the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/nanos.h"
#include "core/base/result.h"
#include "core/trace/trace.h"

namespace lanescope {

struct Note {
    TimeRange time;     // on the trace's clock; a mark has equal begin and end
    std::string text;   // of a mark, maybe none
    uint32_t part = 0;  // the trace that it belongs to, if several are shown; not in the file

    bool is_mark() const { return time.begin == time.end; }
    friend bool operator==(const Note&, const Note&) = default;
};

// Identifies the trace for which notes were made.
struct TraceIdentity {
    uint64_t bytes = 0;  // of the file as stored
    uint64_t events = 0;

    friend bool operator==(const TraceIdentity&, const TraceIdentity&) = default;
};

// What the notes store about their trace.
struct NotedTrace {
    std::string path;
    TraceIdentity identity;
    Nanos origin = 0;
};
NotedTrace noted_trace(const std::string& path, const Trace& trace);

struct NotesFile {
    std::vector<Note> notes;  // by begin, then end
    TraceIdentity identity;   // of the trace at the time of saving
};

// Times in the text are relative to `origin`.
std::string notes_text(const NotesFile& file, std::string_view trace_name, Nanos origin);
// Parses the output of notes_text(). Errors: what is wrong, in a few words.
Result<NotesFile> parse_notes(std::string_view text, Nanos origin);

// Where the notes of a trace may be: beside it, and in the user's data folder ($XDG_DATA_HOME or
// ~/.local/share; empty if neither variable is set). Of a trace on another machine, both are in the
// data folder.
struct NotesPlaces {
    std::string beside;
    std::string own;
};
NotesPlaces notes_places(const std::string& trace_path);

struct LoadedNotes {
    std::vector<Note> notes;
    std::string path;      // where the notes were read; empty: there are none yet
    std::string message;   // for the user; empty: nothing to report
    bool may_save = true;  // false: a broken file prevents saving
    std::string older;     // the other file, if both places have one and their notes differ
};

// How load_notes() treats a file that does not contain valid notes. `set_aside` renames the file,
// so that saving notes later does not overwrite it. `leave` does not change the file; commands that
// only read notes use it.
enum class BrokenNotes { set_aside, leave };

// Loads the notes of a trace, from the newer file if both places have one. Reports a broken file,
// and a trace that has changed since the notes were saved.
LoadedNotes load_notes(const NotedTrace& trace, const NotesPlaces& places, BrokenNotes broken);

// Keeps notes after a change: in the user's data folder, or beside the trace if there is none.
// Returns the path; empty if no file is needed because there are no notes. `older` is
// LoadedNotes::older: if that file is replaced, it is kept as NAME.older, and `older` becomes
// empty.
Result<std::string> keep_notes(const std::vector<Note>& notes, const NotedTrace& trace,
                               const NotesPlaces& places, std::string& older);
// Saves notes beside the trace; returns the path. `older` as above.
Result<std::string> save_notes(const std::vector<Note>& notes, const NotedTrace& trace,
                               const NotesPlaces& places, std::string& older);
// Saves notes in another file.
Result<void> save_notes_as(const std::vector<Note>& notes, const NotedTrace& trace,
                           const std::string& path);

}  // namespace lanescope
