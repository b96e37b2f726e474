// The GPU part of a dependency graph: activities, and what the host waits for.
#pragma once

#include <vector>

#include "core/analysis/critical_path/dependency_threads.h"

namespace lanescope {

// Adds the nodes of all activities and their dependencies: launch call, predecessor on the stream,
// and events that the stream waits for.
void add_streams(const TraceContext& context, DependencyGraph& graph,
                 std::vector<LooseDependency>& loose);

// Adds dependencies to the ends of calls in which the host waits.
void add_waits(const TraceContext& context, DependencyGraph& graph,
               std::vector<LooseDependency>& loose);

}  // namespace lanescope
