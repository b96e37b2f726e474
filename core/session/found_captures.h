// Captures of graphs in the places where servers put them, beside the trace of their replays.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/trace/trace.h"

namespace lanescope {

// Files, by name, that are probably captures of the graphs that a trace at `trace_path` replays:
// - in its folder: graph_capture*, capture_trace* and cuda_graph_capture*;
// - in the folders capture_traces and graph_capture_profile beside it: all traces.
// Of captures of several ranks, only those of the trace's own rank (both as in "rank0", "rank_0" or
// "TP-0"). Of captures of several batch sizes ("bs_32"), for each of `batch_sizes` the smallest
// that it fits into; all if there are no sizes.
std::vector<std::string> captures_beside(const std::string& trace_path,
                                         const std::vector<int64_t>& batch_sizes);

// Reads captures_beside() the trace's file. A file that cannot be read is a warning of the trace.
std::vector<TracePtr> load_captures_beside(Trace& trace);

}  // namespace lanescope
