// Calls that created CUDA graph nodes, in files that state node IDs.
#pragma once

#include <cstdint>

#include "core/trace/schema.h"

namespace lanescope {

struct StatedNode {
    uint64_t source = 0;  // Chunk::source of the call's slice
    int64_t node = 0;     // ID within the process, as in GpuFacts::graph_node
    // ID of the node that the call copied; kNoValue: the call created the node.
    int64_t original = kNoValue;
};

}  // namespace lanescope
