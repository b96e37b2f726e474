// Verdicts: which ranks delay the others, why, in which steps, and at what cost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/ranks/late_causes.h"

namespace lanescope {

enum class RankFault : uint8_t {
    slow_gpu,     // nearly all kernels are slower than on the median rank
    data_loader,  // the GPU waits for the data loader
    slow_host,    // the GPU waits for other work of the host
    slow_link,    // transfers of the rank's groups take longer, even after all ranks have arrived
    more_work,    // the rank has more or larger kernels
    copies,       // the rank copies more, or more slowly
    held_up,      // the rank waits in collectives of other groups, so the fault is elsewhere
    unexplained,
};
std::string_view rank_fault_name(RankFault fault);

struct RankVerdict {
    RankFault fault = RankFault::unexplained;
    std::vector<uint32_t> members;  // one; for a slow link, all ranks that may be affected
    int64_t first_step = kNoValue;  // kNoValue: no numbered step
    int64_t last_step = kNoValue;
    uint64_t calls = 0;
    double cost = 0;     // ns of work beyond the median rank; for a link, additional transfer time
    double error = 0;    // standard error of the cost, ns
    Nanos waited = 0;    // ns that the others waited in calls to which this rank came last
    double factor = 0;   // actual / expected duration; 0: unknown
    double share = 0;    // share of the cost in all that makes the rank late; 1 for a link
    StringId name = 0;   // the kernel, the cause of the gaps, or the group
    uint32_t place = 0;  // index in MatchedRanks::calls of the call with the largest cost
};

// Derives the verdicts on ranks and links, the largest cost first.
std::vector<RankVerdict> rank_verdicts(const RankData& data, const MatchedRanks& matched,
                                       const RankWaits& waits, const LateCauses& causes,
                                       const RankLimits& limits);

// Derives only the verdicts on links.
std::vector<RankVerdict> slow_links(const RankData& data, const MatchedRanks& matched,
                                    const RankWaits& waits, const RankLimits& limits);

// Whether the rank is to blame, and others waited for it.
bool is_accusation(const RankVerdict& verdict);

// A short sentence: "Rank 3 holds the others up from step 7 to 9: its GPU is slow".
std::string verdict_headline(const RankData& data, const RankVerdict& verdict);
// The reason as a clause: "its GPU waits for the data loader".
std::string verdict_reason(const RankData& data, const RankVerdict& verdict);
// The verdict as a sentence: "rank 3 comes late to 8 collectives …".
std::string verdict_text(const RankData& data, const RankVerdict& verdict);

}  // namespace lanescope
