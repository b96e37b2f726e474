// Options that several results take, as the library understands them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/results.h"
#include "core/base/result.h"
#include "core/insight/compare/compare.h"
#include "core/insight/findings/rule.h"
#include "core/session/notes.h"
#include "core/table/query.h"

namespace lanescope {

// `range`: as in --range; empty: everything.
Result<TableQuery> query_in(const TraceContext& context, const std::string& range);

// The findings of the summary, with their story.
Findings story_of(const OneTrace& one);

// How the files of a trace were joined; without files if it is one file.
JoinFacts join_facts(const lanescope_trace& trace);

// Loads the notes on a file of this trace. A stream has no notes, because its name is not a path.
// Errors: the file with the notes is broken.
Result<std::vector<Note>> notes_of(const lanescope_trace& opened, const Trace& file);

struct FindingsOptions {
    std::string range;
    std::string min_share = "1%";
    std::vector<std::string> threshold;
};
Result<Findings> findings_of(const lanescope_trace& trace, const FindingsOptions& options);

struct ComparedTraces {
    std::string range;
    std::string phase;  // "prefill", "decode" or "mixed"; empty: all steps
    std::size_t top = 20;
    std::size_t baseline = 0;  // so many traces, from the first on; 0: A is the first
};
// One comparison for each run but the baseline, or one of all runs with the baseline.
Result<std::vector<Comparison>> comparisons_of(Opened traces, const ComparedTraces& options);

}  // namespace lanescope
