// The CPU part of a dependency graph: calls on threads.
#pragma once

#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/critical_path/dependency_graph.h"

namespace lanescope {

// A dependency that is not yet listed with its node.
struct LooseDependency {
    uint32_t to = 0;
    Dependency dependency;
};

// By lane: nodes of the begins and ends of outermost calls, and of steps.
struct OuterNodes {
    std::vector<std::vector<uint32_t>> begin;
    std::vector<std::vector<uint32_t>> end;
};

// Requires the graph's steps.
OuterNodes add_threads(const TraceContext& context, DependencyGraph& graph);

// Adds dependencies between autograd's threads and those that run operators in the same process. An
// outermost call waits for the last call of the other side that ended after the previous call on
// its own thread, if nothing ran on the other side when it began.
void add_hand_overs(const TraceContext& context, const OuterNodes& outer, DependencyGraph& graph,
                    std::vector<LooseDependency>& loose);

}  // namespace lanescope
