// The time of each device that rules analyse.
#pragma once

#include <vector>

#include "core/insight/findings/rule.h"

namespace lanescope {

// One for each of Summary::devices.
std::vector<DeviceWindow> device_windows(const TraceContext& context, const TableQuery& query,
                                         const Summary& summary);

}  // namespace lanescope
