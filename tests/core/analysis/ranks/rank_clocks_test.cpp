// Tests clock fits on jobs with known clocks.
#include "core/analysis/ranks/rank_clocks.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/core/analysis/ranks/synthetic_ranks.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

constexpr Nanos kMs = 1'000'000;

RankComparison compared(const SyntheticJob& job) {
    return compare_ranks(job.make());
}

// The largest difference between a corrected end and the end on rank 0.
double worst_end(const RankData& data, const RankComparison& result) {
    double worst = 0;
    for (const MatchedCall& call : result.matched.calls) {
        const auto members = result.waits.members_of(call);
        for (const RankArrival& one : members)
            worst =
                std::max(worst, std::abs(static_cast<double>(one.time.end - members[0].time.end)));
    }
    CHECK(!data.calls.empty());
    return worst;
}

}  // namespace

TEST_CASE("offsets of 50 ms and drifts of 20 ppm are recovered despite noise and late ranks") {
    SyntheticJob job;
    job.steps = 400;
    job.end_noise = 2'000;
    job.clocks = {{},     {50 * kMs, 20e-6}, {-50 * kMs, -20e-6},      {1'000, 5e-6},
                  {0, 0}, {7, -1e-6},        {3'600'000 * kMs, 20e-6}, {-20 * kMs, 0}};
    // Rank 3 is slow in the second half. Its lateness must not affect its clock.
    job.fault = [](int rank, int step, SyntheticWork& work) {
        if (rank == 3 && step >= 200) work.gemm *= 1.5;
    };
    const RankComparison result = compared(job);
    CHECK(result.clocks.components == 1);
    CHECK(result.clocks.of(0).basis == ClockBasis::reference);
    for (uint32_t rank = 1; rank < 8; ++rank) {
        const RankClock& clock = result.clocks.of(rank);
        const SyntheticClock& truth = job.clocks[rank];
        CAPTURE(rank);
        CHECK(std::abs(clock.drift - truth.drift) < 0.5e-6);
        CHECK(std::abs(clock.drift - truth.drift) < 6 * clock.drift_error);
        // The true time when the clock shows `at`.
        const double true_time = static_cast<double>(clock.at - truth.offset) / (1 + truth.drift);
        const double offset = static_cast<double>(clock.at) - true_time;
        CHECK(std::abs(static_cast<double>(clock.offset) - offset) < 1'000);
        CHECK(std::abs(static_cast<double>(clock.offset) - offset) < 6 * clock.offset_error);
        CHECK(clock.residual > 1'000);
        CHECK(clock.residual < 4'000);
    }
    CHECK(worst_end(job.make(), result) < 20'000);
}

TEST_CASE("the median of all ranks has less noise than a single rank") {
    SyntheticJob job;
    job.ranks = 16;
    job.steps = 25;
    job.end_noise = 5'000;
    const RankComparison result = compared(job);
    for (uint32_t rank = 0; rank < 16; ++rank) {
        CAPTURE(rank);
        CHECK(std::abs(result.clocks.of(rank).offset) < 4'000);
        CHECK(result.clocks.of(rank).residual < 8'000);
    }
}

TEST_CASE("an insignificant drift is ignored") {
    SyntheticJob job;
    job.steps = 5;
    job.end_noise = 3'000;
    job.clocks.resize(8);
    const RankComparison result = compared(job);
    int lines = 0;
    for (uint32_t rank = 1; rank < 8; ++rank)
        lines += result.clocks.of(rank).basis == ClockBasis::line ? 1 : 0;
    CHECK(lines <= 1);
}

TEST_CASE("clocks are compared through a third rank") {
    // Ranks 0 and 1 share a group, and so do 1 and 2, but 0 and 2 do not.
    RankData data;
    const StringId first = data.texts.intern("a");
    const StringId second = data.texts.intern("b");
    const SyntheticClock clocks[3] = {{}, {5 * kMs, 0}, {-9 * kMs, 0}};
    for (int64_t r = 0; r < 3; ++r)
        data.members.push_back({r, r, RankFrom::recorded, 3, "", kNoRow});
    uint32_t next[3] = {};
    for (int64_t i = 0; i < 20; ++i)
        for (const bool is_second : {false, true})
            for (uint32_t r = is_second ? 1 : 0; r < (is_second ? 3U : 2U); ++r) {
                RankCall call;
                call.member = r;
                call.call = next[r]++;
                call.group = is_second ? second : first;
                call.kind = CollectiveType::all_gather;
                call.sequence = i;
                const Nanos end = 1'000'000 * i + (is_second ? 500'000 : 0);
                call.time = {clocks[r].read(end - 100'000), clocks[r].read(end)};
                data.calls.push_back(call);
            }
    sort_rank_data(data);
    const RankComparison result = compare_ranks(data);
    CHECK(result.clocks.components == 1);
    CHECK(result.clocks.of(1).offset == 5 * kMs);
    CHECK(result.clocks.of(2).offset == -9 * kMs);
    CHECK(result.problems.empty());
}

TEST_CASE("ranks of one file have one clock") {
    SyntheticJob job;
    job.end_noise = 5'000;
    RankData data = job.make();
    for (RankMember& member : data.members) member.trace = 0;
    const RankComparison result = compare_ranks(data);
    CHECK(result.clocks.all.size() == 1);
    for (const RankArrival& one : result.waits.arrivals)
        CHECK(one.time == data.calls[one.call].time);
    for (const CallWait& wait : result.waits.calls) CHECK(wait.error == 0);
}

TEST_CASE("a line through points with outliers") {
    std::vector<LinePoint> points;
    Noise noise(3);
    for (int i = 0; i < 200; ++i)
        points.push_back({1e6 * i, 40 + 2e-5 * 1e6 * i + 3 * noise.normal() + (i % 5 ? 0 : 5e4)});
    const RobustLine line = fit_line(points);
    CHECK(line.has_slope);
    CHECK(std::abs(line.slope - 2e-5) < 3e-8);
    CHECK(std::abs(line.offset - (40 + 2e-5 * line.centre)) < 3);
    const RobustLine one = fit_line({{5, 7}});
    CHECK(one.offset == 7);
    CHECK(one.slope == 0);
}
