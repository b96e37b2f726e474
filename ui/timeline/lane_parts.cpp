#include "ui/timeline/lane_parts.h"

namespace lanescope {

LaneParts lane_parts(const ShownLanesPtr& shown) {
    LaneParts parts;
    if (!shown) return parts;
    parts.owner = shown;
    for (const auto& lane : shown->lanes)
        parts.lanes.push_back(lane ? LanePart{&lane->lane, lane->to_trace} : LanePart{});
    return parts;
}

}  // namespace lanescope
