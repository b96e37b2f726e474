// Loads the trace of a command, with progress on stderr if that is a terminal.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "core/analysis/context.h"
#include "core/base/result.h"
#include "core/ingest/load.h"
#include "core/insight/summary/facts.h"
#include "core/session/companions.h"
#include "core/session/joined_traces.h"
#include "core/table/query.h"
#include "core/trace/trace.h"

namespace lanescope {

// A trace, and what loading it took.
struct TraceWithCost {
    TracePtr trace;
    LoadCost cost;
};

// Prints on stderr what of a file could not be read; nothing for a complete file.
void report_incomplete(const std::string& path, const Trace& trace);

// Adds --graph-capture, --compile-artifacts and --classes.
void add_companions(CLI::App& command, Companions& companions);
// The same options with these values.
std::vector<std::string> arguments_of(const Companions& companions);

// Replaces each folder and archive by its traces, for commands that take several traces. After an
// error, `failed` is the word that caused it.
Result<std::vector<std::string>> given_traces(const std::vector<std::string>& words,
                                              std::string& failed);

// `path` is a word of this program's command line: the only place from which `lanescope` takes
// addresses of other machines (core/session/remote_trace.h).
Result<TraceWithCost> load_for_command(const std::string& path, const Companions& companions,
                                       LoadOptions options = {});

// An aligned trace, and what loading its files took.
struct AlignedWithCost : AlignedTrace {
    LoadCost cost;
};

// Loads one trace as it is, or joins several, including all traces of folders and archives. For a
// single trace, `whole` is the only part. `alignment`: see parse_alignment(); empty: the best one.
// After an error, `failed` is the path of the file that caused it, or empty if no single file did.
Result<AlignedWithCost> load_joined(const std::vector<std::string>& words,
                                    const Companions& companions, const std::string& alignment,
                                    std::string& failed, LoadOptions options = {});

// What --range asks for; everything if `text` is empty. Prints the text's other meaning on stderr,
// if it has one.
Result<TableQuery> query_for_command(const TraceContext& context, const std::string& text);

}  // namespace lanescope
