// Loads the trace that a command was given, with progress on stderr when that is a terminal.
#pragma once

#include <string>

#include "core/analysis/facts.h"
#include "core/base/result.h"
#include "core/trace/trace.h"

namespace lanescope {

struct LoadedTrace {
    TracePtr trace;
    LoadCost cost;
};

// `vocabulary`: as in LoadOptions.
Result<LoadedTrace> load_for_command(const std::string& path, TracePtr vocabulary = nullptr);

}  // namespace lanescope
