// Lanes of captured calls: the operators, modules and annotations that launched a graph's kernels
// when it was captured, placed above the kernels of each replay, or the
// repeated layers of replays without captured calls.
#pragma once

#include <span>

#include "core/replays/captured_graphs.h"
#include "core/replays/replayed_kernels.h"
#include "core/trace/trace.h"

namespace lanescope {

// Adds a lane for each stream with kernels whose captured call or layer is known. A slice begins
// with the first and ends with the last of its neighbouring kernels. Its facts (shapes, types, …)
// are rows of Trace::operators and Trace::collectives; where a call has kernels on several streams,
// its first slice has them.
void add_replay_lanes(Trace& trace, const ReplayedKernels& replayed,
                      std::span<const CapturedGraphs> captures);

}  // namespace lanescope
