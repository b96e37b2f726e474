#include "core/session/notes_table.h"

#include <optional>

#include "core/table/cells.h"

namespace lanescope {

struct NoteTableRow {
    const Note& note;
    int64_t number;
    Nanos origin;
    std::optional<Nanos> since_mark;
};

namespace {

constexpr auto kNoteColumns = columns<NoteTableRow>({
    {{"number", Unit::none, kDistinct, "", "Number of the note, as on its flag on the ruler."},
     [](const NoteTableRow& row) { return row.number; }},
    {{"start_ns", Unit::nanoseconds, kMin, "", "From the trace's origin."},
     [](const NoteTableRow& row) { return row.note.time.begin - row.origin; }},
    {{"duration_ns", Unit::nanoseconds, kSum, "", "Length of the range; 0 for a mark."},
     [](const NoteTableRow& row) { return row.note.time.length(); }},
    {{"since_mark_ns", Unit::nanoseconds, kSum, "no mark, or the first one",
      "For a mark: time since the mark before it."},
     [](const NoteTableRow& row) { return row.since_mark; }},
    {{"text", Unit::none, kDistinct, "no text was entered", "The note's text."},
     [](const NoteTableRow& row) { return known_text(row.note.text); }},
});
}  // namespace

const TableOf<NoteTableRow> kNotesTable = {
    {"notes", "Marks and notes on a trace."}, kNoteColumns, [](const NoteTableRow& row) {
        return RowTarget{{}, row.note.time};
    }};

Table notes_table(const std::vector<Note>& notes, Nanos origin) {
    TableBuilder table(kNotesTable);
    std::optional<Nanos> mark;
    int64_t number = 0;
    for (const Note& note : notes) {
        std::optional<Nanos> since;
        if (note.is_mark()) {
            if (mark) since = note.time.begin - *mark;
            mark = note.time.begin;
        }
        table.add({note, ++number, origin, since});
    }
    return table.take();
}

}  // namespace lanescope
