// Writes a trace as a trace file, for the commands convert and cut.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "app/commands/output.h"
#include "core/export/traces/trace_selection.h"
#include "core/trace/trace.h"

namespace lanescope {

struct TraceOutput {
    std::string format;  // "kineto" or "perfetto"; empty: by the name of the file
    bool scrub = false;
    OutputOptions output;
};

// Adds -o, --format and --scrub to a command that has the argument TRACE.
void add_trace_output(CLI::App& command, TraceOutput& options);

// Writes the selected part, and says on stderr what was scrubbed. Returns the exit status.
int write_trace_file(const TracePtr& trace, TraceSelection selection, const TraceOutput& options);

}  // namespace lanescope
