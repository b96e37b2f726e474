#include "core/analysis/statistics/rank_test.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/analysis/statistics/median_bootstrap.h"

using namespace lanescope;

namespace {

// The share of all ways to choose as many values as `a` has whose sum of mean ranks is at least as
// far from the mean as that of `a`.
double enumerated_p(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> all = a;
    all.insert(all.end(), b.begin(), b.end());
    std::vector<double> rank;
    for (const double value : all) {
        double below = 0;
        double equal = 0;
        for (const double other : all) {
            below += other < value ? 1 : 0;
            equal += other == value ? 1 : 0;
        }
        rank.push_back(below + (equal + 1) / 2);
    }
    const double mean = static_cast<double>(a.size()) * (static_cast<double>(all.size()) + 1) / 2;
    double seen = 0;
    for (std::size_t i = 0; i < a.size(); ++i) seen += rank[i];
    double ways = 0;
    double as_far = 0;
    for (uint32_t choice = 0; choice < 1U << all.size(); ++choice) {
        double sum = 0;
        std::size_t chosen = 0;
        for (std::size_t i = 0; i < all.size(); ++i)
            if ((choice >> i & 1U) != 0) {
                sum += rank[i];
                ++chosen;
            }
        if (chosen != a.size()) continue;
        ++ways;
        as_far += std::abs(sum - mean) >= std::abs(seen - mean) - 1e-9 ? 1 : 0;
    }
    return as_far / ways;
}

}  // namespace

TEST_CASE("Mann-Whitney: p of small samples is that of all ways to divide the values") {
    FixedRandom random(11);
    for (int round = 0; round < 60; ++round) {
        std::vector<double> a(2 + random.below(5));
        std::vector<double> b(2 + random.below(6));
        const std::size_t values = round % 2 == 0 ? 1'000'000 : 4;  // without ties, and with many
        for (double& value : a) value = static_cast<double>(random.below(values));
        const std::size_t quarter = values / 4;
        for (double& value : b)
            value = static_cast<double>(random.below(values) + random.below(3) * quarter);
        CAPTURE(round);
        RankTester tester(kBudgetOfOneTest);
        const RankTest test = tester.test(a, b);
        CHECK(test.exact);
        CHECK(test.p == doctest::Approx(enumerated_p(a, b)).epsilon(1e-9));
        CHECK(tester.test(b, a).p == doctest::Approx(test.p).epsilon(1e-9));
    }
}

// The smallest p of two samples of n is 2 / binomial(2n, n); tables of U say the same.
TEST_CASE("Mann-Whitney: known values") {
    RankTester tester(kBudgetOfOneTest);
    const std::vector<double> low = {1, 2, 3, 4, 5};
    CHECK(tester.test(low, std::vector<double>{6, 7, 8, 9, 10}).p ==
          doctest::Approx(2.0 / 252).epsilon(1e-12));
    // U = 2: four of the 252 ways on each side.
    CHECK(tester.test(low, std::vector<double>{4.5, 5.5, 6, 7, 8}).p ==
          doctest::Approx(4.0 / 252).epsilon(1e-9));
    CHECK(tester.test(low, low).p == 1);
    CHECK(std::isnan(tester.test(low, std::vector<double>()).p));
}

TEST_CASE("Mann-Whitney: large samples use the normal distribution, close to the exact one") {
    FixedRandom random(5);
    std::vector<double> a, b;
    for (int i = 0; i < 40; ++i) a.push_back(static_cast<double>(random.below(1'000'000)));
    for (int i = 0; i < 40; ++i) b.push_back(static_cast<double>(random.below(1'000'000)) + 2e5);
    const RankTest exact = RankTester(kBudgetOfOneTest).test(a, b);
    const RankTest normal = RankTester(0).test(a, b);
    CHECK(exact.exact);
    CHECK_FALSE(normal.exact);
    CHECK(normal.p == doctest::Approx(exact.p).epsilon(0.05));
}

TEST_CASE("samples that resemble their neighbours say less") {
    FixedRandom random(7);
    std::vector<double> independent, slow;
    double drift = 0;
    for (int i = 0; i < 200; ++i) {
        const double noise = static_cast<double>(random.below(1000)) - 500;
        independent.push_back(noise);
        drift = 0.8 * drift + noise;
        slow.push_back(drift);
    }
    CHECK(p_of_sequences(0.001, independent, independent) < 0.003);
    // z of 3.29 by sqrt((1 + 0.8) / (1 - 0.8)) = 3: 1.097, outside of which 27 % lie.
    CHECK(p_of_sequences(0.001, slow, slow) == doctest::Approx(0.27).epsilon(0.2));
    CHECK(p_of_sequences(1, slow, slow) == doctest::Approx(1));
    CHECK(std::isnan(p_of_sequences(NAN, slow, slow)));
    const std::vector<double> few = {1, 2, 3, 4, 5};
    CHECK(p_of_sequences(0.008, few, few) == 0.008);
}

TEST_CASE("Holm: each p by the number of hypotheses that are left, never decreasing") {
    const std::vector<double> p = {0.04, 0.01, NAN, 0.03, 0.5};
    const std::vector<double> adjusted = holm(p);
    CHECK(adjusted[1] == doctest::Approx(0.04));
    CHECK(adjusted[3] == doctest::Approx(0.09));
    CHECK(adjusted[0] == doctest::Approx(0.09));  // 0.08 alone
    CHECK(adjusted[4] == doctest::Approx(0.5));
    CHECK(std::isnan(adjusted[2]));
}

// Student's t with 4 degrees of freedom is beyond 2.7764 with a probability of 5 %.
TEST_CASE("a new value is judged by the spread of the others") {
    const std::vector<double> runs = {10, 11, 12, 13, 14};
    const double deviation = std::sqrt(2.5 * 1.2);
    CHECK(prediction_p(runs, 12 + 2.7764451051978 * deviation) == doctest::Approx(0.05));
    CHECK(prediction_p(runs, 12 - 2.7764451051978 * deviation) == doctest::Approx(0.05));
    CHECK(prediction_p(runs, 12) == 1);
    CHECK(prediction_p(std::vector<double>{5, 5, 5}, 6) == 0);
    CHECK(std::isnan(prediction_p(std::vector<double>{5}, 6)));
}

TEST_CASE("bootstrap: the interval is the same in every run, and holds the ratio") {
    std::vector<double> a, b;
    for (int i = 0; i < 21; ++i) a.push_back(100 + i % 7);
    for (int i = 0; i < 30; ++i) b.push_back(200 + i % 5);
    std::ranges::sort(a);
    std::ranges::sort(b);
    const auto interval = [&] {
        return ratio_interval(MedianBootstrap(a.size(), 1), a, MedianBootstrap(b.size(), 2), b);
    };
    const RatioInterval first = interval();
    CHECK(first.low == interval().low);
    CHECK(first.high == interval().high);
    CHECK(first.low < 202.0 / 103);
    CHECK(first.high > 202.0 / 103);
    CHECK(first.low > 200.0 / 106);
    CHECK(first.high < 204.0 / 100);
    CHECK(std::isnan(ratio_interval(MedianBootstrap(0, 1), {}, MedianBootstrap(30, 2), b).low));
}

// The exact distribution of a drawn median: it is at most the k-th of n values if at least half of
// the draws are, each with probability k / n.
TEST_CASE("bootstrap: medians are distributed as those of drawn samples") {
    constexpr std::size_t kCount = 9;
    std::vector<double> values;
    for (std::size_t i = 1; i <= kCount; ++i) values.push_back(static_cast<double>(i));
    const MedianBootstrap draws(kCount, 3);
    std::vector<double> medians;
    for (std::size_t draw = 0; draw < draws.draws(); ++draw)
        medians.push_back(draws.median(values, draw));
    for (std::size_t k = 1; k <= kCount; ++k) {
        const double p = static_cast<double>(k) / kCount;
        double expected = 0;
        for (std::size_t hits = (kCount + 1) / 2; hits <= kCount; ++hits) {
            double ways = 1;
            for (std::size_t i = 1; i <= hits; ++i)
                ways *= static_cast<double>(kCount + 1 - i) / static_cast<double>(i);
            expected += ways * std::pow(p, static_cast<double>(hits)) *
                        std::pow(1 - p, static_cast<double>(kCount - hits));
        }
        const auto below = std::ranges::count_if(
            medians, [&](double median) { return median <= static_cast<double>(k); });
        CHECK(std::abs(static_cast<double>(below) / static_cast<double>(medians.size()) -
                       expected) < 0.05);
    }
}
