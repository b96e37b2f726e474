// What formats keep whose files state the ids of the nodes of graphs.
#pragma once

#include <vector>

#include "core/ingest/format.h"
#include "core/replays/stated_nodes.h"

namespace lanescope {

struct StatedGraphNodes : FormatMemory {
    std::vector<StatedNode> nodes;
};

}  // namespace lanescope
