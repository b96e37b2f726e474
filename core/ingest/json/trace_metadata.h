// Reads the top-level members of a trace file beside its events.
#pragma once

#include "core/trace/trace.h"

namespace lanescope {

// Extracts devices, clock, format and producer from trace.metadata.
void read_metadata(Trace& trace);

}  // namespace lanescope
