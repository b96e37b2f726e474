// Why ranks arrive late at matched calls: the work that each did beyond the median rank since the
// group's previous call.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/ranks/rank_waits.h"

namespace lanescope {

// Thresholds for accusing a rank. docs/ranks.md defines each.
struct RankLimits {
    Nanos min_lateness = 50'000;    // ns; smaller lateness is ignored
    double noise_factor = 5;        // minimum lateness, in standard deviations of the lateness
    double uncertainty_factor = 3;  // minimum lateness, in standard deviations of the clocks
    double min_cost_share = 0.01;   // minimum cost of a verdict, as a share of the compared time
    double cause_share = 0.2;       // minimum share of one cause in the cost of the rank's lateness
    double slow_gpu_factor = 1.03;  // a kernel is slow above this ratio to the median rank
    double slow_gpu_share = 0.8;    // minimum share of kernel time in slow kernels on a slow GPU
    double slow_link_factor = 1.3;  // a transfer is slow above this ratio to the usual time
};

enum class LateCause : uint8_t {
    slow_kernels,  // the same kernels took longer
    more_kernels,  // other kernels, or more of them
    copies,        // copies and sets
    data_loader,   // the GPU was idle while the host was in its data loader
    host,          // the GPU was idle for other reasons
    held_up,       // collectives of other groups took longer
    unexplained,   // no recorded work explains the lateness
};
inline constexpr std::size_t kLateCauses = 7;
std::string_view late_cause_name(LateCause cause);

// One cause of one late arrival, compared with the median of the other ranks in the call. Times in
// ns.
struct CausePart {
    uint32_t matched = 0;  // index in MatchedRanks::calls
    uint32_t arrival = 0;  // index in RankWaits::arrivals
    LateCause cause = LateCause::unexplained;
    double excess = 0;        // time beyond the median
    double cost = 0;          // excess, reduced by the time that the rank saved elsewhere
    StringId name = 0;        // name of the largest part: a kernel, or the cause of a gap
    double count = 0;         // occurrences of `name` on this rank
    double median_count = 0;  // occurrences of `name` on the median rank
    double ratio = 0;         // mean duration / median of the other ranks' means; 0: unknown
    double z = 0;             // robust z-score of the mean duration; 0: unknown
};

// The kernels that a rank ran before its late arrivals, by name and launch size. Times in ns.
struct KernelPace {
    double time = 0;
    double expected = 0;  // for the same number of kernels at the median rank's mean duration
};
using KernelPaces = std::map<std::pair<StringId, StringId>, KernelPace>;

struct LateCauses {
    std::vector<CausePart> parts;      // sorted by (matched, arrival, cause)
    std::vector<KernelPaces> kernels;  // by member
    // Standard deviation of the lateness without faults, in ns, by MatchedCall::call_class.
    std::map<uint32_t, double> noise;
};

// Explains the late arrivals of each rank. Without RankData::work, `parts` is empty. Sends and
// receives are not explained, because their two ranks do different work.
LateCauses late_causes(const RankData& data, const MatchedRanks& matched, const RankWaits& waits,
                       const RankLimits& limits);

}  // namespace lanescope
