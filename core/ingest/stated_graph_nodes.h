// Memory of formats whose files state the IDs of graph nodes.
#pragma once

#include <vector>

#include "core/ingest/format.h"
#include "core/replays/stated_nodes.h"

namespace lanescope {

struct StatedGraphNodes : FormatMemory {
    std::vector<StatedNode> nodes;
};

}  // namespace lanescope
