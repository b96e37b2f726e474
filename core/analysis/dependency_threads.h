// The part of a dependency graph that is calls on CPU threads.
#pragma once

#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/dependency_graph.h"

namespace lanescope {

// A dependency that is not listed with its node yet.
struct LooseDependency {
    uint32_t to = 0;
    Dependency of;
};

// By lane: nodes of the begins and ends of calls that stand in no other, and of the begins and ends
// of steps.
struct OuterNodes {
    std::vector<std::vector<uint32_t>> begin;
    std::vector<std::vector<uint32_t>> end;
};

// Needs the graph's steps.
OuterNodes add_threads(const TraceContext& context, DependencyGraph& graph);

// Between autograd's threads and those that run operators in the same process: an outermost call
// waits for the last one of the other side that ended after the call before on its own thread, if
// nothing ran there as it began.
void add_hand_overs(const TraceContext& context, const OuterNodes& outer, DependencyGraph& graph,
                    std::vector<LooseDependency>& loose);

}  // namespace lanescope
