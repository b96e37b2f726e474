// The clock of a bundle of ftrace events.
#pragma once

#include <cstdint>

namespace lanescope {

struct FtraceClock {
    uint32_t sequence = 0;
    uint64_t kind = 0;      // as in the schema; 0: time since boot
    int64_t own_time = 0;   // time on a separate clock, at the same moment as `boot_time`
    int64_t boot_time = 0;  // 0: unknown
};

}  // namespace lanescope
