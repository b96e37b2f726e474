// Why ranks came late to matched calls: what they did more than the median rank since the previous
// call of the group.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/ranks/rank_waits.h"

namespace lanescope {

// What decides whether a rank is accused; docs/ranks.md explains each.
struct RankLimits {
    Nanos min_lateness = 50'000;    // a rank is late above this
    double noise_factor = 5;        // … and above this many standard deviations of lateness
    double uncertainty_factor = 3;  // … and above this many standard deviations of the clocks
    double min_cost_share = 0.01;   // least cost of a verdict, as a share of the compared time
    double cause_share = 0.2;       // least share of a cause in what the rank's lateness costs
    double slow_gpu_factor = 1.03;  // a kernel is slow above this ratio to the median rank's
    double slow_gpu_share = 0.8;    // least share of kernel time that is slow on a slow GPU
    double slow_link_factor = 1.3;  // a transfer is slow above this ratio to usual ones
};

enum class LateCause : uint8_t {
    slow_kernels,  // the same kernels took longer
    more_kernels,  // other kernels, or more of them
    copies,        // copies and sets
    data_loader,   // the GPU was idle while the host was in its data loader
    host,          // the GPU was idle otherwise
    held_up,       // collectives of other groups took longer
    unexplained,   // nothing of this
};
inline constexpr std::size_t kLateCauses = 7;
std::string_view late_cause_name(LateCause cause);

// One cause of one late arrival. The medians are those of the other ranks of the call.
struct CausePart {
    uint32_t matched = 0;  // index in MatchedRanks::calls
    uint32_t arrival = 0;  // index in RankWaits::arrivals
    LateCause cause = LateCause::unexplained;
    double excess = 0;  // time above the median
    double cost = 0;    // the excess, less its share in what the rank did less than the median
    StringId name = 0;  // the largest part: a kernel, the cause of a gap
    double count = 0;   // of this name
    double median_count = 0;
    double ratio = 0;  // mean duration, to the median of the ranks' means; 0: not known
    double z = 0;      // robust: its distance in standard deviations of the ranks; 0: not known
};

// The kernels that a rank ran before late arrivals, by name and launch size.
struct KernelPace {
    double time = 0;
    double expected = 0;  // as many, at the median rank's mean duration
};
using KernelPaces = std::map<std::pair<StringId, StringId>, KernelPace>;

struct LateCauses {
    std::vector<CausePart> parts;      // by (matched, arrival, cause)
    std::vector<KernelPaces> kernels;  // by member
    // Standard deviation of lateness without faults, by MatchedCall::call_class.
    std::map<uint32_t, double> noise;
};

// Without RankData::work there are no parts. Sends and receives are left out: their two ranks have
// different work.
LateCauses late_causes(const RankData& data, const MatchedRanks& matched, const RankWaits& waits,
                       const RankLimits& limits);

}  // namespace lanescope
