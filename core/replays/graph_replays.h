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
// `captures`. Adds lanes of kind `replay`, the fact `replay_link`, and a warning for each kind of
// difference between replays and captures. Leaves a trace without graph replays unchanged. `nodes`:
// calls of the trace that created graph nodes, if its file states node IDs.
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
