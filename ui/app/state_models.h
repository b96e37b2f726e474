// The part of the state file about the selection's model, the roofline and lost time.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "ui/app/state_file.h"

namespace lanescope {

void add_models(nlohmann::json& state, const StateFacts& facts);

}  // namespace lanescope
