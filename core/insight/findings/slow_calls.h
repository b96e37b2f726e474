// Calls of the runtime that allocate memory or load code while the GPU idles.
#pragma once

#include <vector>

#include "core/insight/findings/rule.h"

namespace lanescope {

enum class SlowCallsIn : uint8_t {
    window,    // calls that begin in the window: memory only
    anywhere,  // all calls: memory, modules, and long first launches of a kernel
};

struct SlowCalls {
    Intervals idle;  // when the device idles during the calls
    uint64_t count = 0;
    std::vector<FindingPlace> places;
    std::vector<Evidence> evidence;  // by name, most time first
};

SlowCalls slow_calls(const RuleInput& input, const DeviceWindow& device, SlowCallsIn where);

}  // namespace lanescope
