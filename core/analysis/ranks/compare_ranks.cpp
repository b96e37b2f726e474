#include "core/analysis/ranks/compare_ranks.h"

namespace lanescope {

namespace {

// Whether calls that were matched by number do not end together, which shows that some calls were
// not recorded.
bool has_wrong_numbers(const RankData& data, const RankComparison& result) {
    for (const MatchedCall& call : result.matched.calls) {
        if (data.calls[call.row].sequence != kNoValue) continue;
        for (const uint32_t one : result.matched.members_of(call))
            if (result.clocks.of(data.calls[one].member).residual > kSameEnd) return true;
    }
    return false;
}

void match(const RankData& data, RankComparison& result) {
    result.matched = match_ranks(data, result.left_out);
    result.clocks = fit_clocks(data, result.matched);
    if (!has_wrong_numbers(data, result)) return;
    result.matched =
        match_ranks_by_ends(data, result.left_out, offsets_of_ends(data, result.left_out));
    result.clocks = fit_clocks(data, result.matched);
}

}  // namespace

RankComparison compare_ranks(const RankData& data, const RankLimits& limits) {
    RankComparison result;
    RankSet ranks(data);
    ranks.check();
    do {
        result.left_out = ranks.left_out();
        match(data, result);
    } while (ranks.leave_out_other_runs(result.matched, result.clocks));
    ranks.check_clocks(result.matched, result.clocks);
    result.problems = ranks.take_problems();
    result.waits = rank_waits(data, result.matched, result.clocks);
    result.causes = late_causes(data, result.matched, result.waits, limits);
    result.verdicts = rank_verdicts(data, result.matched, result.waits, result.causes, limits);
    return result;
}

OwnRankComparison OwnRankComparison::compute(const TraceContext& context) {
    return {compare_ranks(context.get<OwnRanks>().data)};
}

}  // namespace lanescope
