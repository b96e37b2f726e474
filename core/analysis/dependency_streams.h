// The part of a dependency graph that is GPU activities, and what the host waits for of them.
#pragma once

#include <vector>

#include "core/analysis/dependency_threads.h"

namespace lanescope {

// Nodes of all activities, and what each waits for: its launch call, the one before on its stream,
// and events that its stream waits for.
void add_streams(const TraceContext& context, DependencyGraph& graph,
                 std::vector<LooseDependency>& loose);

// Ends of calls in which the host waits.
void add_waits(const TraceContext& context, DependencyGraph& graph,
               std::vector<LooseDependency>& loose);

}  // namespace lanescope
