// Loads the trace of a command, with progress on stderr if that is a terminal.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/ingest/load.h"
#include "core/insight/facts.h"
#include "core/trace/trace.h"

namespace lanescope {

// A trace, and what loading it took.
struct TraceWithCost {
    TracePtr trace;
    LoadCost cost;
};

// Prints on stderr what of a file could not be read; nothing for a complete file.
void report_incomplete(const std::string& path, const Trace& trace);

Result<TraceWithCost> load_for_command(const std::string& path, LoadOptions options = {});

}  // namespace lanescope
