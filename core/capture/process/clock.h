// The system's clocks in nanoseconds.
#pragma once

#include <ctime>

#include "core/base/nanos.h"

namespace lanescope {

inline constexpr Nanos kNanosPerSecond = 1'000'000'000;

inline Nanos time_of_clock(clockid_t clock) {
    struct timespec time = {};
    clock_gettime(clock, &time);
    return Nanos{time.tv_sec} * kNanosPerSecond + time.tv_nsec;
}

}  // namespace lanescope
