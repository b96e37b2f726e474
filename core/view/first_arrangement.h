// The arrangement of lanes with which a trace opens.
#pragma once

#include <cstdint>
#include <vector>

#include "core/view/lane_arrangement.h"

namespace lanescope {

// GPU streams with work are pinned, each device with the launch queue of its busiest stream; many
// streams are folded into one row a device. Python frames other than modules are left out where
// the trace has other calls, too. Then threads without operators, API calls and annotations are
// quiet, groups with only quiet lanes are folded, and processes that PyTorch's profiler invents for
// its own events are hidden. Reads each quiet lane once.
LaneArrangement first_arrangement(const Trace& trace);

// By lane, the number of GPU activities in it.
std::vector<uint32_t> gpu_work_of_lanes(const Trace& trace);

}  // namespace lanescope
