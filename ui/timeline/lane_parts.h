// The visible parts of lanes, in the form that marks need.
#pragma once

#include "core/search/marks.h"
#include "core/view/shown_lanes.h"

namespace lanescope {

// Refers to `shown`, which stays its owner. Without parts if everything is shown.
LaneParts lane_parts(const ShownLanesPtr& shown);

}  // namespace lanescope
