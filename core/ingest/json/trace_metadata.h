// Reads the top-level members of a trace file beside its events.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/trace/trace.h"

namespace lanescope {

// Extracts devices, clock and producer; stores all members in trace.metadata.
void read_metadata(std::vector<std::pair<std::string, std::string>> members, Trace& trace);

}  // namespace lanescope
