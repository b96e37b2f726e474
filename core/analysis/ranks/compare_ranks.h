// The comparison of ranks: matched collectives, clocks, waits, causes and verdicts. docs/ranks.md
// defines each number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/ranks/rank_verdicts.h"

namespace lanescope {

// What is wrong with the set of ranks; the rest is compared.
enum class RankProblemKind : uint8_t {
    rank_twice,      // a second recording of a rank, which is left out
    rank_missing,    // a rank of the job that is not here
    other_job,       // its job has another size than most: left out
    clock_apart,     // its clock differs by more than an hour from the reference
    no_collectives,  // nothing to compare it by
    not_connected,   // no matched call connects it with the reference
};
std::string_view rank_problem_name(RankProblemKind kind);

struct RankProblem {
    RankProblemKind kind = RankProblemKind::no_collectives;
    int64_t trace = kNoValue;
    int64_t rank = kNoValue;
    std::string text;  // a sentence
};

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

RankComparison compare_ranks(const RankData& data, const RankLimits& limits = {});

// The ranks of one trace, which may be joined from several files.
struct OwnRankComparison {
    RankComparison result;

    static OwnRankComparison compute(const TraceContext& context);
};

}  // namespace lanescope
