// Which arrivals at matched calls are significantly late.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/ranks/late_causes.h"

namespace lanescope {

// Late arrivals at the calls of one class, which are in order of time. Indices in
// RankWaits::arrivals, by call.
struct LateOfClass {
    double noise = 0;  // standard deviation of lateness without faults
    std::vector<std::vector<uint32_t>> by_call;
};

// `calls`: indices in MatchedRanks::calls.
LateOfClass late_in_class(const std::vector<uint32_t>& calls, const MatchedRanks& matched,
                          const RankWaits& waits, const RankLimits& limits);

}  // namespace lanescope
