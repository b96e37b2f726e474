// Recognises files of formats that Lanescope does not read.
#pragma once

#include "core/ingest/format.h"

namespace lanescope {

// The name of the format of a file that no format of formats() reads, and advice. The confidence
// is 0.
Recognised recognise_foreign(const Probe& probe);

// Recognises JSON files that hold no trace events. `what` is empty if the file may be a trace.
Recognised recognise_foreign_json(std::string_view start);

}  // namespace lanescope
