// Finds operators, modules and shapes of kernels in graph replays, from captures of the graphs.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/replays/stated_nodes.h"
#include "core/trace/replay_link.h"
#include "core/trace/trace.h"

namespace lanescope {

// Finds the captured launch of each kernel that a graph replay launched, in the trace itself and in
// `captures`; adds lanes of kind `replay` and the fact `replay_link`, and a warning for each kind
// of difference between a replay and its capture. Does nothing to a trace without graph replays.
// `nodes`: the calls of the trace that made nodes of graphs, where its file states their ids.
void add_graph_replays(Trace& trace, std::span<const TracePtr> captures,
                       std::span<const StatedNode> nodes = {});

// Whether the trace has graph launches.
bool replays_graphs(const Trace& trace);

struct ReplayCounts {
    uint64_t launches = 0;  // graph launches with work
    uint64_t kernels = 0;   // kernels, copies and sets that they launched
    std::array<uint64_t, kReplayLinks.size()> by = {};  // these, by ReplayLink
};
ReplayCounts count_replays(const Trace& trace);

}  // namespace lanescope
