// The state of the timeline for tests: its keys of the state file (docs/testing.md). Times are in
// nanoseconds from the trace's origin, positions in pixels of the window.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "ui/timeline/timeline.h"

namespace lanescope {

// Both need a trace.
void describe_timeline(const Timeline& timeline, nlohmann::json& state);
void describe_lanes(const Timeline& timeline, nlohmann::json& state);

}  // namespace lanescope
