// The part of the state file about colours and the legend.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "ui/app/state_file.h"

namespace lanescope {

void add_colors(nlohmann::json& state, const StateFacts& facts);

}  // namespace lanescope
