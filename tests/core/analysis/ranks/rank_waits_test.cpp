// Tests spreads, waits and blame on hand-written calls and on simulated jobs.
#include "core/analysis/ranks/rank_waits.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "tests/core/analysis/ranks/synthetic_ranks.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

// Calls with these starts by rank; all ranks end at `end`.
RankData calls_of(const std::vector<std::pair<std::vector<Nanos>, Nanos>>& calls) {
    RankData data;
    const StringId group = data.texts.intern("0");
    for (int64_t r = 0; r < static_cast<int64_t>(calls.front().first.size()); ++r)
        data.members.push_back({0, r, RankFrom::recorded, kNoValue, "", kNoRow});
    for (uint32_t c = 0; c < calls.size(); ++c)
        for (uint32_t r = 0; r < data.members.size(); ++r) {
            RankCall call;
            call.member = r;
            call.call = c;
            call.group = group;
            call.kind = CollectiveType::all_reduce;
            call.sequence = c;
            call.time = {calls[c].first[r], calls[c].second};
            data.calls.push_back(call);
        }
    sort_rank_data(data);
    return data;
}

}  // namespace

TEST_CASE("spread, lateness, waits and blame of two calls") {
    const RankComparison result =
        compare_ranks(calls_of({{{10, 40, 20}, 50}, {{105, 100, 130}, 140}}));
    REQUIRE(result.waits.calls.size() == 2);
    const CallWait& first = result.waits.calls[0];
    CHECK(first.spread() == 30);
    CHECK(first.transfer() == 10);
    CHECK(first.wait == 30 + 20);
    CHECK(result.waits.arrivals[first.last].member == 1);
    CHECK(result.waits.arrivals[first.last].lateness == 40 - 20);
    const CallWait& second = result.waits.calls[1];
    CHECK(result.waits.arrivals[second.last].member == 2);
    CHECK(second.wait == 25 + 30);
    const auto& totals = result.waits.totals;
    CHECK(totals[0].waited == 30 + 25);
    CHECK(totals[1].waited == 30);
    CHECK(totals[2].waited == 20);
    CHECK(totals[1].caused == 50);
    CHECK(totals[2].caused == 55);
    CHECK(totals[0].last == 0);
    REQUIRE(result.waits.blame.size() == 4);
    CHECK(result.waits.blame[0].late == 1);
    CHECK(result.waits.blame[0].waiting == 0);
    CHECK(result.waits.blame[0].wait == 30);
    CHECK(result.waits.blame[3].waiting == 1);
    CHECK(result.waits.blame[3].wait == 30);
}

TEST_CASE("a rank that ends before the last begins did not wait for it") {
    RankData data = calls_of({{{10, 40}, 60}});
    data.calls[0].time.end = 15;  // for example, the root of a broadcast
    const RankComparison result = compare_ranks(data);
    CHECK(result.waits.totals[0].waited == 5);
}

TEST_CASE("waits do not depend on the clocks") {
    SyntheticJob job;
    job.fault = [](int rank, int step, SyntheticWork& work) {
        if (rank == 5 && step > 3) work.idle += 400e3;
    };
    const RankComparison truth = compare_ranks(job.make());
    for (int r = 0; r < 8; ++r) job.clocks.push_back({(r - 3) * 17'000'000, (r - 4) * 6e-6});
    const RankComparison shifted = compare_ranks(job.make());
    REQUIRE(shifted.waits.calls.size() == truth.waits.calls.size());
    for (std::size_t i = 0; i < truth.waits.calls.size(); ++i) {
        CHECK(std::abs(shifted.waits.calls[i].spread() - truth.waits.calls[i].spread()) < 100);
        CHECK(shifted.waits.calls[i].last == truth.waits.calls[i].last);
    }
    CHECK(truth.waits.totals[5].caused > 10 * truth.waits.totals[4].caused);
}

TEST_CASE("the sums over calls, ranks and pairs are equal") {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        SyntheticJob job;
        job.seed = seed;
        job.ranks = 2 + static_cast<int>(seed % 7);
        job.group_size = seed % 2 ? 2 : 0;
        job.end_noise = 1'000;
        job.jitter = 0.05;
        const RankData data = job.make();
        const RankComparison result = compare_ranks(data);
        const auto sum = [](const auto& rows, auto of) {
            return std::accumulate(rows.begin(), rows.end(), Nanos{0},
                                   [&](Nanos all, const auto& row) { return all + of(row); });
        };
        const Nanos all = sum(result.waits.calls, [](const CallWait& c) { return c.wait; });
        CHECK(all > 0);
        CHECK(sum(result.waits.totals, [](const RankTotals& t) { return t.waited; }) == all);
        CHECK(sum(result.waits.totals, [](const RankTotals& t) { return t.caused; }) == all);
        CHECK(sum(result.waits.blame, [](const RankBlame& b) { return b.wait; }) == all);
        CHECK(sum(result.waits.arrivals, [](const RankArrival& a) { return a.wait; }) == all);
        for (const RankArrival& one : result.waits.arrivals) {
            CHECK(one.wait >= 0);
            CHECK(one.wait <= one.time.length());
        }
    }
}

TEST_CASE("errors grow with the noise of the ends") {
    SyntheticJob job;
    job.end_noise = 1'000;
    const RankComparison quiet = compare_ranks(job.make());
    job.end_noise = 10'000;
    const RankComparison loud = compare_ranks(job.make());
    CHECK(quiet.waits.calls[5].error > 500);
    CHECK(loud.waits.calls[5].error > 4 * quiet.waits.calls[5].error);
    CHECK(loud.waits.totals[3].waited_error > 4 * quiet.waits.totals[3].waited_error);
    // In sums, noise averages out.
    CHECK(quiet.waits.totals[3].waited_error <
          quiet.waits.calls[5].error * static_cast<double>(quiet.waits.totals[3].matched));
}
