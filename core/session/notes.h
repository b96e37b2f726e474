// Notes: marks and ranges of time with a text, kept in a small JSON file beside the trace, or in
// the user's data folder where that cannot be written. docs/formats/notes.md describes the file.
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
    TimeRange time;     // on the trace's clock; a mark begins where it ends
    std::string text;   // of a mark, maybe none
    uint32_t part = 0;  // the trace that it is of, where several are shown; not in the file

    bool is_mark() const { return time.begin == time.end; }
    friend bool operator==(const Note&, const Note&) = default;
};

// What tells whether a trace is still the one that its notes were made for.
struct TraceIdentity {
    uint64_t bytes = 0;  // of the file as it is stored
    uint64_t events = 0;

    friend bool operator==(const TraceIdentity&, const TraceIdentity&) = default;
};

// A trace as its notes know it.
struct NotedTrace {
    std::string path;
    TraceIdentity identity;
    Nanos origin = 0;
};
NotedTrace noted_trace(const std::string& path, const Trace& trace);

struct NotesFile {
    std::vector<Note> notes;  // by begin, then end
    TraceIdentity identity;   // of the trace when they were saved
};

// Times in the text count from `origin`.
std::string notes_text(const NotesFile& file, std::string_view trace_name, Nanos origin);
// What notes_text() wrote. Errors: what is wrong with it, in a few words.
Result<NotesFile> parse_notes(std::string_view text, Nanos origin);

// Where the notes of a trace may lie: beside it, and in the user's data folder ($XDG_DATA_HOME or
// ~/.local/share; empty when neither variable is set).
struct NotesPlaces {
    std::string beside;
    std::string own;
};
NotesPlaces notes_places(const std::string& trace_path);

struct LoadedNotes {
    std::vector<Note> notes;
    std::string path;      // where they were; empty: there are none yet
    std::string message;   // what to tell the user; empty: nothing
    bool may_save = true;  // false: a broken file stands in the way
};

// The notes of a trace, those that were saved last where both places have some. A file that is
// broken is set aside, and that is told; so is a trace that has changed since.
LoadedNotes load_notes(const NotedTrace& trace, const NotesPlaces& places);

// Saves beside the trace or, where that is refused, in the user's data folder; the path that was
// written. No notes at all: the files are removed, and the path is empty.
Result<std::string> save_notes(const std::vector<Note>& notes, const NotedTrace& trace,
                               const NotesPlaces& places);

}  // namespace lanescope
