#include "ui/frame/frame_cost.h"

#include <algorithm>
#include <ctime>
#include <utility>

namespace lanescope {

namespace {

double milliseconds(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

}  // namespace

void FrameCost::begin() {
    cpu_began_ = milliseconds(CLOCK_THREAD_CPUTIME_ID);
    wall_began_ = milliseconds(CLOCK_MONOTONIC);
}

void FrameCost::end() {
    if (std::exchange(first_, false)) return;
    longest_cpu_ms_ = std::max(longest_cpu_ms_, milliseconds(CLOCK_THREAD_CPUTIME_ID) - cpu_began_);
    longest_wall_ms_ = std::max(longest_wall_ms_, milliseconds(CLOCK_MONOTONIC) - wall_began_);
}

}  // namespace lanescope
