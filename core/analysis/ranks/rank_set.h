// What is wrong with the set of ranks that is compared. The rest of the set is compared.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/ranks/rank_clocks.h"
#include "core/analysis/ranks/rank_data.h"
#include "core/analysis/ranks/rank_match.h"

namespace lanescope {

enum class RankProblemKind : uint8_t {
    rank_twice,        // a second recording of a rank: left out
    rank_missing,      // a rank of the job that is not here
    rank_impossible,   // a rank that the job does not have: left out
    rank_by_order,     // neither the file nor its name states the rank
    other_job,         // its job has another size than most: left out
    other_run,         // its collectives do not end with those of the others: left out
    clock_apart,       // its clock differs by more than an hour from the reference
    no_collectives,    // nothing to compare it by
    not_connected,     // no matched call connects it with the reference
    nothing_compared,  // no call was found on two ranks
};
std::string_view rank_problem_name(RankProblemKind kind);

struct RankProblem {
    RankProblemKind kind = RankProblemKind::no_collectives;
    int64_t trace = kNoValue;
    int64_t rank = kNoValue;
    std::string text;  // a sentence
};

// Checks the members of a comparison before and after their calls are matched.
class RankSet {
  public:
    explicit RankSet(const RankData& data);

    // Leaves out ranks of other jobs, impossible and repeated ranks; names missing and silent ones.
    void check();
    // Leaves out recordings of another run: clocks of one run drift apart by less than 500 ppm, and
    // collectives on GPUs end together. Returns whether it left out any.
    bool leave_out_other_runs(const MatchedRanks& matched, const RankClocks& clocks);
    // Names clocks that are far apart, and ranks that are not compared.
    void check_clocks(const MatchedRanks& matched, const RankClocks& clocks);

    const std::vector<bool>& left_out() const { return left_out_; }  // by member
    std::vector<RankProblem> take_problems() { return std::move(problems_); }

  private:
    void add(RankProblemKind kind, uint32_t member, std::string text);
    void leave_out(RankProblemKind kind, uint32_t member, std::string text);
    bool has_calls(uint32_t member) const;
    void leave_out_other_jobs();
    void leave_out_impossible_ranks();
    void leave_out_repeated_ranks();
    void name_ranks_by_order();
    void name_missing_ranks();
    void name_silent_ranks();

    const RankData& data_;
    std::vector<bool> left_out_;
    std::vector<RankProblem> problems_;
};

}  // namespace lanescope
