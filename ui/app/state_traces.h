// The part of the state file about the window's traces.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "ui/panels/selection.h"
#include "ui/panels/side_by_side.h"
#include "ui/panels/traces_panel.h"

namespace lanescope {

void add_traces(nlohmann::json& state, const TracesShown& shown, const TracesPanel& panel,
                const SliceFacts* selection);

void add_side_by_side(nlohmann::json& state, const SideBySidePanel& panel);

}  // namespace lanescope
