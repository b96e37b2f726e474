// Which arrivals at matched calls are significantly late.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/ranks/late_causes.h"

namespace lanescope {

// The late arrivals in the calls of one class, in the order of the calls.
struct LateOfClass {
    double noise = 0;  // ns; standard deviation of the lateness without faults
    std::vector<std::vector<uint32_t>> by_call;  // for each call, indices in RankWaits::arrivals
};

// `calls`: indices in MatchedRanks::calls, sorted by time.
LateOfClass late_in_class(const std::vector<uint32_t>& calls, const MatchedRanks& matched,
                          const RankWaits& waits, const RankLimits& limits);

}  // namespace lanescope
