// What is shown of the lanes, as marks are made of it.
#pragma once

#include "core/search/marks.h"
#include "core/view/shown_lanes.h"

namespace lanescope {

// Keeps `shown` alive; its owner is `shown`. Without parts when everything is shown.
LaneParts lane_parts(const ShownLanesPtr& shown);

}  // namespace lanescope
