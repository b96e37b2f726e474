// A gap at the begin or the end of a recording that is longer than all of the rest.
#pragma once

#include <optional>

#include "core/insight/findings/rule.h"

namespace lanescope {

// The longest idle gap of a device with at most one step, if it is longer than the rest of the
// device's span, if hardly any work lies on its outer side, and if the step does not account for
// it: the step does not cover it, or the work behind it had been launched long before. `window`:
// with its steps, its times and its gaps.
std::optional<EdgeGap> edge_gap(const TraceContext& context, const DeviceWindow& window);

// Cuts the gap and what lies on its outer side out of the window.
void leave_out(const EdgeGap& gap, DeviceWindow& window);

}  // namespace lanescope
