// The notes of a trace as a table.
#pragma once

#include <vector>

#include "core/analysis/table.h"
#include "core/session/notes.h"

namespace lanescope {

// A row for each note, in order of time; times count from `origin`.
Table notes_table(const std::vector<Note>& notes, Nanos origin);

}  // namespace lanescope
