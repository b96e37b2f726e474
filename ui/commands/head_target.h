// Which part of the heads on the left is at a point.
#pragma once

#include <cstdint>
#include <string>

#include "core/trace/slice.h"

namespace lanescope {

struct HeadTarget {
    enum class Kind : uint8_t { nothing, group, lane, lane_edge, more_lanes, hidden_lanes };

    Kind kind = Kind::nothing;
    LaneId lane = 0;       // of a lane, or its lower edge
    std::string group;     // LaneGroup::key of a group, or of a lane's group
    float y0 = 0, y1 = 0;  // its position in the window
};

}  // namespace lanescope
