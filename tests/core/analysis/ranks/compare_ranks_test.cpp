// Tests that problems of a set of ranks are reported, and that the remaining ranks are compared.
#include "core/analysis/ranks/compare_ranks.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/analysis/ranks/rank_tables.h"
#include "tests/core/analysis/ranks/synthetic_ranks.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

std::vector<RankProblemKind> kinds_of(const RankComparison& result) {
    std::vector<RankProblemKind> kinds;
    for (const RankProblem& problem : result.problems) kinds.push_back(problem.kind);
    return kinds;
}
using Kinds = std::vector<RankProblemKind>;

void remove_calls(RankData& data, uint32_t member) {
    std::erase_if(data.calls, [&](const RankCall& call) { return call.member == member; });
    std::erase_if(data.work, [&](const RankWork& work) { return work.member == member; });
}

}  // namespace

TEST_CASE("a whole job has no problems") {
    CHECK(compare_ranks(SyntheticJob().make()).problems.empty());
}

TEST_CASE("a second recording of a rank is left out") {
    RankData data = SyntheticJob().make();
    data.members[5].rank = 2;
    const RankComparison result = compare_ranks(data);
    CHECK(kinds_of(result) == Kinds{RankProblemKind::rank_twice, RankProblemKind::rank_missing});
    CHECK(result.problems[0].trace == 5);
    CHECK(result.problems[1].text == "Of 8 ranks, 1 is missing: 5");
    CHECK(result.left_out[5]);
    CHECK(result.matched.calls.size() == 80);
    CHECK(result.matched.calls[0].count == 7);
    CHECK(result.matched.unmatched.size() == 80);
    CHECK(result.matched.unmatched[0].reason == UnmatchedReason::rank_is_left_out);
}

TEST_CASE("ranks of another job are left out") {
    RankData data = SyntheticJob().make();
    data.members[0].world_size = 16;
    const RankComparison result = compare_ranks(data);
    REQUIRE(!result.problems.empty());
    CHECK(result.problems[0].kind == RankProblemKind::other_job);
    CHECK(result.problems[0].rank == 0);
    CHECK(result.matched.calls[0].count == 7);
}

TEST_CASE("of two ranks, the other one is of another job") {
    SyntheticJob job;
    job.ranks = 2;
    RankData data = job.make();
    data.members[1].world_size = 1;
    const RankComparison result = compare_ranks(data);
    CHECK(kinds_of(result) == Kinds{RankProblemKind::other_job, RankProblemKind::rank_missing,
                                    RankProblemKind::nothing_compared});
    CHECK(result.problems[0].text ==
          "rank 1 is of a job of 1 rank; the compared ranks are of a job of 2");
}

TEST_CASE("a rank that the job does not have is left out, and hides no missing one") {
    RankData data = SyntheticJob().make();
    data.members[5].rank = 9;
    const RankComparison result = compare_ranks(data);
    REQUIRE(kinds_of(result) ==
            Kinds{RankProblemKind::rank_impossible, RankProblemKind::rank_missing});
    CHECK(result.problems[0].text == "A job of 8 ranks has no rank 9");
    CHECK(result.problems[1].text == "Of 8 ranks, 1 is missing: 5");
    CHECK(result.left_out[5]);
}

TEST_CASE("ranks of a file that states none are not called twice") {
    RankData data = SyntheticJob().make();
    for (RankMember& member : data.members) member.rank_from = RankFrom::device;
    data.members[5].rank = 2;
    CHECK(kinds_of(compare_ranks(data)).empty());
    data.members[5].rank_from = RankFrom::order;
    const RankComparison result = compare_ranks(data);
    CHECK(result.problems[0].kind == RankProblemKind::rank_by_order);
    CHECK(!result.left_out[5]);
}

TEST_CASE("a recording of another run is left out, whichever rank it is") {
    for (const uint32_t odd : {0U, 3U}) {
        CAPTURE(odd);
        RankData data = SyntheticJob().make();
        for (RankCall& call : data.calls) {  // its steps take 1.28 times as long
            if (call.member != odd) continue;
            call.time.begin += call.time.begin * 28 / 100;
            call.time.end += call.time.end * 28 / 100;
        }
        const RankComparison result = compare_ranks(data);
        REQUIRE(kinds_of(result) == Kinds{RankProblemKind::other_run});
        CHECK(result.problems[0].rank == odd);
        CHECK(result.problems[0].text.find("28 % faster") != std::string::npos);
        CHECK(result.left_out[odd]);
        CHECK(result.matched.calls[0].count == 7);
        CHECK(result.verdicts.empty());
    }
}

TEST_CASE("of two recordings of different runs, neither is compared") {
    SyntheticJob job;
    job.ranks = 2;
    job.clocks = {{}, {0, -0.001}};
    const RankComparison result = compare_ranks(job.make());
    CHECK(kinds_of(result) == Kinds{RankProblemKind::other_run, RankProblemKind::other_run,
                                    RankProblemKind::nothing_compared});
    job.clocks[1].drift = 0.0004;
    CHECK(compare_ranks(job.make()).problems.empty());
}

TEST_CASE("numbered collectives that end at other times are of another run") {
    RankData data = SyntheticJob().make();
    Noise noise(3);
    for (RankCall& call : data.calls)
        if (call.member == 6)
            call.time.end = call.time.begin + 1 + std::llround(20e6 * noise.uniform());
    const RankComparison result = compare_ranks(data);
    REQUIRE(!result.problems.empty());
    CHECK(result.problems[0].kind == RankProblemKind::other_run);
    CHECK(result.problems[0].rank == 6);
    CHECK(result.verdicts.empty());
}

TEST_CASE("missing ranks are named, the first few") {
    SyntheticJob job;
    RankData data = job.make();
    for (RankMember& member : data.members) member.world_size = 100;
    const RankComparison result = compare_ranks(data);
    REQUIRE(result.problems.size() == 1);
    CHECK(result.problems[0].rank == 8);
    CHECK(result.problems[0].text ==
          "Of 100 ranks, 92 are missing: 8, 9, 10, 11, 12, 13, 14, 15 and 84 more");
    CHECK(result.matched.calls.size() == 80);
}

TEST_CASE("clocks hours apart are reported and corrected") {
    SyntheticJob job;
    job.clocks.resize(8);
    job.clocks[3].offset = 5'400'000'000'000;
    const RankComparison result = compare_ranks(job.make());
    REQUIRE(kinds_of(result) == Kinds{RankProblemKind::clock_apart});
    CHECK(result.problems[0].rank == 3);
    CHECK(result.clocks.of(3).offset == 5'400'000'000'000);
    CHECK(result.verdicts.empty());
}

TEST_CASE("ranks without collectives, and ranks without matched calls") {
    RankData data = SyntheticJob().make();
    remove_calls(data, 4);
    const StringId lonely = data.texts.intern("lonely");
    for (RankCall& call : data.calls)
        if (call.member == 7) call.group = lonely;
    const RankComparison result = compare_ranks(data);
    CHECK(kinds_of(result) ==
          Kinds{RankProblemKind::no_collectives, RankProblemKind::not_connected});
    CHECK(result.problems[0].rank == 4);
    CHECK(result.problems[1].rank == 7);
    CHECK(result.is_compared(0));
    CHECK(!result.is_compared(4));
    CHECK(!result.is_compared(7));
    CHECK(result.clocks.of(7).basis == ClockBasis::none);
}

TEST_CASE("nothing to compare") {
    const RankComparison none = compare_ranks({});
    CHECK(none.problems.empty());
    SyntheticJob job;
    job.ranks = 1;
    const RankComparison one = compare_ranks(job.make());
    CHECK(one.matched.calls.empty());
    CHECK(kinds_of(one) == Kinds{RankProblemKind::nothing_compared});
    for (const RankTableMaker& maker : rank_table_makers()) {
        CHECK(maker.make({}, none).row_count() == 0);
        CHECK(maker.make(job.make(), one).column_count() == maker.spec->columns.size());
    }
}

TEST_CASE("the order of the rows does not matter") {
    SyntheticJob job;
    job.ranks = 6;
    job.clocks = {{}, {7'000'000, 1e-5}, {}, {-3'000'000, 0}, {}, {1, -2e-5}};
    job.fault = [](int rank, int, SyntheticWork& work) {
        if (rank == 4) work.gemm *= 1.4;
    };
    RankData data = job.make();
    const RankComparison expected = compare_ranks(data);
    std::ranges::reverse(data.calls);
    std::ranges::reverse(data.work);
    sort_rank_data(data);
    const RankComparison result = compare_ranks(data);
    REQUIRE(result.waits.calls.size() == expected.waits.calls.size());
    for (std::size_t i = 0; i < expected.waits.calls.size(); ++i)
        CHECK(result.waits.calls[i].wait == expected.waits.calls[i].wait);
    REQUIRE(result.verdicts.size() == expected.verdicts.size());
    CHECK(result.verdicts[0].cost == expected.verdicts[0].cost);
}
