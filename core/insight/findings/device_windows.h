// The time of each device to which rules apply.
#pragma once

#include <vector>

#include "core/insight/findings/rule.h"

namespace lanescope {

// Parallel to Summary::devices.
std::vector<DeviceWindow> device_windows(const TraceContext& context, const TableQuery& query,
                                         const Summary& summary);

}  // namespace lanescope
