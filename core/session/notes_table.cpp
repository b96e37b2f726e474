#include "core/session/notes_table.h"

#include <optional>

namespace lanescope {

namespace {

constexpr ColumnSpec kColumns[] = {
    {"number", ValueType::integer, Unit::none, "", "Its flag on the ruler"},
    {"start_ns", ValueType::integer, Unit::nanoseconds, "", "From the trace's origin"},
    {"duration_ns", ValueType::integer, Unit::nanoseconds, "", "0 of a mark"},
    {"since_mark_ns", ValueType::integer, Unit::nanoseconds, "no mark, or the first one",
     "For a mark: time since the mark before it"},
    {"text", ValueType::text, Unit::none, "no text was entered", "The note's text"},
};
constexpr TableSpec kNotesTable = {"notes", "Marks and notes on a trace", kColumns};

}  // namespace

Table notes_table(const std::vector<Note>& notes, Nanos origin) {
    Table table(kNotesTable);
    std::optional<Nanos> mark;
    int64_t number = 0;
    for (const Note& note : notes) {
        Cell since;
        if (note.is_mark()) {
            if (mark) since = note.time.begin - *mark;
            mark = note.time.begin;
        }
        table.add_row({Cell(++number), Cell(note.time.begin - origin), Cell(note.time.length()),
                       since, note.text.empty() ? Cell() : Cell(std::string_view(note.text))},
                      {{}, note.time});
    }
    return table;
}

}  // namespace lanescope
