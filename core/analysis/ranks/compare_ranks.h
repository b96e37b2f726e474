// The comparison of ranks: matched collectives, clocks, waits, causes and verdicts. docs/ranks.md
// defines each number.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/ranks/rank_set.h"
#include "core/analysis/ranks/rank_verdicts.h"

namespace lanescope {

struct RankComparison {
    MatchedRanks matched;
    RankClocks clocks;
    RankWaits waits;
    LateCauses causes;
    std::vector<RankVerdict> verdicts;
    std::vector<RankProblem> problems;
    std::vector<bool> left_out;  // by member

    bool is_compared(uint32_t member) const {
        return !left_out[member] && waits.totals[member].matched > 0;
    }
};

// Runs all steps of the comparison. `data` must be sorted: see sort_rank_data().
RankComparison compare_ranks(const RankData& data, const RankLimits& limits = {});

// The ranks of one trace, which may be joined from several files.
struct OwnRankComparison {
    RankComparison result;

    static OwnRankComparison compute(const TraceContext& context);
};

}  // namespace lanescope
