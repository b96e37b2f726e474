// Calls that allocate memory, load code or compile it while the GPU idles.
#pragma once

#include <vector>

#include "core/insight/findings/rule.h"

namespace lanescope {

enum class SlowCallsIn : uint8_t {
    window,    // calls that begin in the window: memory only
    anywhere,  // in the device's span: memory, modules, and long first launches of a kernel
    warm_up,   // the same in the given times
};

struct SlowCalls {
    Intervals idle;  // when the device idles during the calls
    uint64_t count = 0;
    std::vector<FindingPlace> places;
    std::vector<FindingEvidence> evidence;  // by name, most time first
};

// `warm_up`: only for SlowCallsIn::warm_up.
SlowCalls slow_calls(const RuleInput& input, const DeviceWindow& device, SlowCallsIn where,
                     const Intervals& warm_up = {});

// The parts of the given times in which the device idles while a compiler makes or loads a kernel
// on a thread that launches (see the rule kernel-compilation). What torch.compile annotates does
// not count.
Intervals compilation_idle(const RuleInput& input, const DeviceWindow& device,
                           const Intervals& times);

}  // namespace lanescope
