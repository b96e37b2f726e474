// Finds captures of graphs where servers store them, beside the trace with the replays.
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
// If the names of the trace and of captures contain a rank ("rank0", "rank_0", "TP-0"), omits
// captures of other ranks. If names contain batch sizes ("bs_32"), keeps for each of `batch_sizes`
// the capture of the smallest size that is not below it; if `batch_sizes` is empty, keeps all.
std::vector<std::string> captures_beside(const std::string& trace_path,
                                         const std::vector<int64_t>& batch_sizes);

// Loads the first 32 of captures_beside() the trace's file, with the workers and limits of `like`.
// Unreadable files and the number of omitted files become warnings of the trace.
std::vector<TracePtr> load_captures_beside(Trace& trace, const LoadOptions& like);

}  // namespace lanescope
