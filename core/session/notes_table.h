// The notes of a trace as a table.
#pragma once

#include <vector>

#include "core/session/notes.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct NoteTableRow> kNotesTable;

// One row for each note, sorted by time; times are relative to `origin`.
Table notes_table(const std::vector<Note>& notes, Nanos origin);

}  // namespace lanescope
