// Captures of graphs in the places where servers put them, beside the trace of their replays.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ingest/load.h"
#include "core/trace/trace.h"

namespace lanescope {

// The files beside a trace that are probably captures of the graphs that the trace replays, sorted
// by name:
// - in the trace's folder: graph_capture*, capture_trace* and cuda_graph_capture*;
// - in the folders capture_traces and graph_capture_profile beside the trace: all traces.
// If the names of the trace and of captures contain a rank ("rank0", "rank_0", "TP-0"), captures of
// other ranks are left out. If names contain batch sizes ("bs_32"), the function keeps, for each of
// `batch_sizes`, the capture of the smallest size that is not below it; without sizes it keeps all.
std::vector<std::string> captures_beside(const std::string& trace_path,
                                         const std::vector<int64_t>& batch_sizes);

// Reads the first 32 of captures_beside() the trace's file, with the workers and limits of `like`.
// Files that cannot be read, and the number of those left out, are warnings of the trace.
std::vector<TracePtr> load_captures_beside(Trace& trace, const LoadOptions& like);

}  // namespace lanescope
