// Calls that made nodes of CUDA graphs, in files that state the ids of the nodes.
#pragma once

#include <cstdint>

#include "core/trace/schema.h"

namespace lanescope {

struct StatedNode {
    uint64_t source = 0;          // of the slice of the call: Chunk::source
    int64_t node = 0;             // id within the process, as GpuFacts::graph_node states it
    int64_t original = kNoValue;  // id of the node that the call copied; none: it made the node
};

}  // namespace lanescope
