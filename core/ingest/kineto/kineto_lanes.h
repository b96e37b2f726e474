// Completes the rows of JSON files. The format has no kinds of rows: their kinds follow from the
// words and habits of the programs that write such files.
#pragma once

#include <string_view>

#include "core/ingest/build/builder_state.h"

namespace lanescope {

// Completes the roles of rows and the names of processes, when all events are known.
void complete_json_lanes(BuilderState& state);

}  // namespace lanescope
