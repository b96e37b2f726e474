// The part of the state file about recording and following.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace lanescope {

struct StateFacts;
void add_recording(nlohmann::json& state, const StateFacts& facts);

}  // namespace lanescope
