// The clock of a bundle of ftrace's events.
#pragma once

#include <cstdint>

namespace lanescope {

struct FtraceClock {
    uint32_t sequence = 0;
    uint64_t kind = 0;      // as the schema numbers them; 0: the time since the boot
    int64_t own_time = 0;   // of a clock of its own, at the same moment as `boot_time`
    int64_t boot_time = 0;  // 0: not known
};

}  // namespace lanescope
