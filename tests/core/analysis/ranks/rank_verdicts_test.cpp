// Tests verdicts on jobs with known faults, and on jobs without faults.
#include "core/analysis/ranks/rank_verdicts.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/core/analysis/ranks/synthetic_ranks.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

// Only the verdicts that accuse a rank.
std::vector<RankVerdict> accusations(const SyntheticJob& job) {
    std::vector<RankVerdict> verdicts = compare_ranks(job.make()).verdicts;
    std::erase_if(verdicts, [](const RankVerdict& one) { return one.fault == RankFault::held_up; });
    return verdicts;
}

// Checks that there is one accusation, and that it is against this rank.
RankVerdict only_one(const SyntheticJob& job, RankFault fault, uint32_t rank) {
    const auto verdicts = accusations(job);
    for (const RankVerdict& one : verdicts)
        CAPTURE(std::string(rank_fault_name(one.fault)) + " " + std::to_string(one.members[0]));
    REQUIRE(verdicts.size() == 1);
    CHECK(verdicts[0].fault == fault);
    CHECK(verdicts[0].members == std::vector<uint32_t>{rank});
    return verdicts[0];
}

void check_cost(const RankVerdict& verdict, double truth) {
    CAPTURE(verdict.cost);
    CAPTURE(truth);
    CHECK(std::abs(verdict.cost - truth) < 0.02 * truth + 3 * verdict.error);
}

SyntheticJob job_of(int ranks) {
    SyntheticJob job;
    job.ranks = ranks;
    job.end_noise = 1'000;
    for (int r = 0; r < ranks; ++r)
        job.clocks.push_back({(r % 5 - 2) * 25'000'000, (r % 3 - 1) * 20e-6});
    return job;
}

}  // namespace

TEST_CASE("a rank that is faster than two equal ones makes neither of them slow") {
    for (const int ranks : {3, 4}) {
        CAPTURE(ranks);
        SyntheticJob job = job_of(ranks);
        job.fault = [](int rank, int, SyntheticWork& work) {
            if (rank == 1) work.gemm *= 0.6;
        };
        CHECK(accusations(job).empty());
    }
}

TEST_CASE("a slow GPU from step 7 on: rank, step, factor and cost") {
    for (const int ranks : {2, 4, 8, 64}) {
        CAPTURE(ranks);
        SyntheticJob job = job_of(ranks);
        const int slow = ranks / 2;
        job.fault = [slow](int rank, int step, SyntheticWork& work) {
            if (rank != slow || step < 7) return;
            work.gemm *= 1.2;
            work.norm *= 1.2;
        };
        const RankVerdict verdict = only_one(job, RankFault::slow_gpu, static_cast<uint32_t>(slow));
        CHECK(verdict.first_step == 7);
        CHECK(verdict.last_step == 19);
        CHECK(std::abs(verdict.factor - 1.2) < 0.01);
        CHECK(verdict.calls == 13 * 4);
        CHECK(verdict.share > 0.9);
        check_cost(verdict, 13 * 4 * 0.2 * 750e3);
    }
}

TEST_CASE("a stall of the data loader in one step") {
    SyntheticJob job = job_of(8);
    job.fault = [](int rank, int step, SyntheticWork& work) {
        if (rank == 3 && step == 11) work.loading = 4e6;
    };
    const RankVerdict verdict = only_one(job, RankFault::data_loader, 3);
    CHECK(verdict.first_step == 11);
    CHECK(verdict.last_step == 11);
    check_cost(verdict, 4 * 4e6);
    CHECK(verdict.waited > 7 * 15e6);
}

TEST_CASE("a slow host, more work, slow copies") {
    SyntheticJob job = job_of(8);
    job.fault = [](int rank, int, SyntheticWork& work) {
        if (rank == 6) work.idle += 300e3;
    };
    const RankVerdict host = only_one(job, RankFault::slow_host, 6);
    check_cost(host, 79 * 300e3);  // the first call has no call before it
    job.fault = [](int rank, int, SyntheticWork& work) {
        if (rank == 6) work.more_gemms = 1;
    };
    check_cost(only_one(job, RankFault::more_work, 6), 79 * 200e3);
    // A single slow kernel does not make a slow GPU.
    job.fault = [](int rank, int, SyntheticWork& work) {
        if (rank == 6) work.norm *= 2;
    };
    const RankVerdict one = only_one(job, RankFault::more_work, 6);
    CHECK(std::abs(one.factor - 2) < 0.05);
    check_cost(one, 79 * 150e3);
    job.fault = [](int rank, int, SyntheticWork& work) {
        if (rank == 6) work.copy *= 20;
    };
    check_cost(only_one(job, RankFault::copies, 6), 79 * 380e3);
}

TEST_CASE("two faults on two ranks give two verdicts") {
    SyntheticJob job = job_of(8);
    job.fault = [](int rank, int step, SyntheticWork& work) {
        if (rank == 1) {
            work.gemm *= 1.3;
            work.norm *= 1.3;
        }
        if (rank == 4 && step >= 10) work.loading = 1e6;
    };
    const auto verdicts = accusations(job);
    REQUIRE(verdicts.size() == 2);
    CHECK(verdicts[0].fault == RankFault::data_loader);
    CHECK(verdicts[0].members[0] == 4);
    CHECK(verdicts[0].first_step == 10);
    CHECK(verdicts[1].fault == RankFault::slow_gpu);
    CHECK(verdicts[1].members[0] == 1);
}

TEST_CASE("ranks held up by a slow rank of their group are not accused") {
    SyntheticJob job = job_of(8);
    job.group_size = 4;
    job.fault = [](int rank, int, SyntheticWork& work) {
        if (rank != 2) return;
        work.gemm *= 1.3;
        work.norm *= 1.3;
    };
    const RankVerdict verdict = only_one(job, RankFault::slow_gpu, 2);
    CHECK(std::abs(verdict.factor - 1.3) < 0.01);
}

TEST_CASE("a slow link is found by the rank's groups, or by a change over time") {
    SyntheticJob job = job_of(12);
    job.group_size = 4;
    job.steps = 24;
    job.link = [](int rank, int step) { return rank == 5 && step >= 9 ? 3.0 : 1.0; };
    std::vector<RankVerdict> verdicts = accusations(job);
    REQUIRE(verdicts.size() == 1);
    CHECK(verdicts[0].fault == RankFault::slow_link);
    CHECK(verdicts[0].members == std::vector<uint32_t>{4, 5, 6, 7});
    CHECK(verdicts[0].first_step == 9);
    CHECK(std::abs(verdicts[0].factor - 3) < 0.1);
    check_cost(verdicts[0],
               2 * 15 * 4 * 200e3);  // in the small group and in the group of all ranks

    job.group_size = 0;
    job.link = [](int, int step) { return step >= 9 ? 2.0 : 1.0; };
    verdicts = accusations(job);
    REQUIRE(verdicts.size() == 1);
    CHECK(verdicts[0].fault == RankFault::slow_link);
    CHECK(verdicts[0].members.size() == 12);
    CHECK(verdicts[0].first_step == 9);
}

TEST_CASE("without a fault nobody is accused, whatever the noise") {
    for (const int ranks : {2, 3, 8, 64})
        for (uint64_t seed = 1; seed <= 12; ++seed) {
            SyntheticJob job = job_of(ranks);
            job.seed = seed;
            job.jitter = seed % 3 == 0 ? 0.05 : seed % 3 == 1 ? 0.01 : 0.002;
            job.group_size = ranks == 8 && seed % 2 ? 4 : 0;
            job.steps = ranks == 64 ? 8 : 20;
            CAPTURE(ranks);
            CAPTURE(seed);
            const auto verdicts = compare_ranks(job.make()).verdicts;
            CHECK(verdicts.empty());
        }
}

TEST_CASE("without rows of work no rank is accused, but late ranks are still counted") {
    SyntheticJob job = job_of(4);
    job.has_work = false;
    job.fault = [](int rank, int, SyntheticWork& work) {
        if (rank == 1) work.gemm *= 2;
    };
    const RankComparison result = compare_ranks(job.make());
    CHECK(result.verdicts.empty());
    CHECK(result.causes.parts.empty());
    CHECK(result.waits.totals[1].last == result.waits.totals[1].matched);
}

TEST_CASE("lateness without a visible cause is unexplained") {
    SyntheticJob job = job_of(4);
    job.fault = [](int rank, int step, SyntheticWork& work) {
        if (rank == 1 && step == 11) work.loading = 4e6;
    };
    RankData data = job.make();
    std::erase_if(data.work,
                  [&](const RankWork& work) { return data.texts[work.name] == kDataLoaderGap; });
    const auto verdicts = compare_ranks(data).verdicts;
    REQUIRE(verdicts.size() == 1);
    CHECK(verdicts[0].fault == RankFault::unexplained);
    CHECK(verdict_text(data, verdicts[0]).starts_with("rank 1 comes late to "));
}
