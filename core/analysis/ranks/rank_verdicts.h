// Verdicts: which ranks hold the others up, by what, since when, and what it costs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/ranks/late_causes.h"

namespace lanescope {

enum class RankFault : uint8_t {
    slow_gpu,     // all its kernels are slower than those of the median rank
    data_loader,  // its GPU waits for the data loader
    slow_host,    // its GPU waits otherwise for the host
    slow_link,    // transfers of its groups take longer, after all ranks have arrived
    more_work,    // it has more or larger work
    copies,       // it copies more, or more slowly
    held_up,      // it waits in collectives of other groups: no fault of its own
    unexplained,
};
std::string_view rank_fault_name(RankFault fault);

struct RankVerdict {
    RankFault fault = RankFault::unexplained;
    std::vector<uint32_t> members;  // one; of slow links all that may be concerned
    int64_t first_step = kNoValue;  // kNoValue: the calls are in no numbered step
    int64_t last_step = kNoValue;
    uint64_t calls = 0;
    double cost = 0;    // ns that the rank did more than the median rank; of links, the longer time
    double error = 0;   // standard deviation of the cost, by the noise of lateness
    Nanos waited = 0;   // that others waited in calls at which it came last
    double factor = 0;  // how much slower; 0: not known
    double share = 0;   // of the cost of all that makes the rank late; of links 1
    StringId name = 0;  // the kernel, the cause of gaps, or the group
    uint32_t place = 0;  // the matched call in which it costs most
};

// The most expensive first.
std::vector<RankVerdict> rank_verdicts(const RankData& data, const MatchedRanks& matched,
                                       const RankWaits& waits, const LateCauses& causes,
                                       const RankLimits& limits);

// The verdicts about links alone.
std::vector<RankVerdict> slow_links(const RankData& data, const MatchedRanks& matched,
                                    const RankWaits& waits, const RankLimits& limits);

// Whether the rank is to blame, and others waited for it.
bool is_accusation(const RankVerdict& verdict);

// "Rank 3 holds the others up from step 7 to 9: its GPU is slow".
std::string verdict_headline(const RankData& data, const RankVerdict& verdict);
// "its GPU waits for the data loader": what is wrong with the ranks of a verdict.
std::string verdict_reason(const RankData& data, const RankVerdict& verdict);
// "rank 3 comes late to 8 collectives …": a sentence.
std::string verdict_text(const RankData& data, const RankVerdict& verdict);

}  // namespace lanescope
