// The part of the state file about lanes.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "ui/panels/tables.h"
#include "ui/timeline/timeline.h"

namespace lanescope {

void add_lanes(nlohmann::json& state, const Timeline& timeline, const LanesTable& table);

}  // namespace lanescope
