// The part of the state file about attaching.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace lanescope {

struct StateFacts;

void add_attach(nlohmann::json& state, const StateFacts& facts);

}  // namespace lanescope
