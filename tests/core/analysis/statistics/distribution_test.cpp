#include "core/analysis/statistics/distribution.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

namespace lanescope {

// Python 3: statistics.mean, stdev, quantiles(n=100, method="inclusive") of these values, and
// median + 3 × 1.4826 × the median of the distances from it.
TEST_CASE("statistics of a dozen values equal Python's") {
    const std::vector<Nanos> values = {1, 3, 3, 4, 4, 4, 5, 6, 7, 9, 20, 250};
    const Distribution d = distribution_of(values);
    CHECK(d.count == 12);
    CHECK(d.total == 316);
    CHECK(d.min == 1);
    CHECK(d.max == 250);
    CHECK(d.mean == doctest::Approx(26.333333333333332).epsilon(1e-12));
    CHECK(d.sd == doctest::Approx(70.6056054088591).epsilon(1e-12));
    CHECK(d.p50 == doctest::Approx(4.5));
    CHECK(d.p90 == doctest::Approx(18.9).epsilon(1e-12));
    CHECK(d.p99 == doctest::Approx(224.7).epsilon(1e-12));
    CHECK(d.outlier_limit == doctest::Approx(11.1717).epsilon(1e-12));
    CHECK(d.outliers == 2);
}

// Student's t for 95 %, from printed tables: 12.706 (1 degree of freedom), 2.262 (9), 1.984 (99).
TEST_CASE("the confidence interval uses Student's t") {
    const std::vector<Nanos> two = {100, 300};
    CHECK(distribution_of(two).ci95 == doctest::Approx(12.706 * 100).epsilon(1e-4));
    std::vector<Nanos> ten(10);
    std::iota(ten.begin(), ten.end(), 1);
    CHECK(distribution_of(ten).ci95 ==
          doctest::Approx(2.262 * std::sqrt(55.0 / 6) / std::sqrt(10)).epsilon(2e-4));
    std::vector<Nanos> hundred(100);
    std::iota(hundred.begin(), hundred.end(), 1);
    CHECK(distribution_of(hundred).ci95 ==
          doctest::Approx(1.984 * std::sqrt(100.0 * 101 / 12) / 10).epsilon(2e-4));
}

TEST_CASE("statistics that need more values than there are stay unknown") {
    const std::vector<Nanos> one = {7};
    CHECK(std::isnan(distribution_of(one).sd));
    CHECK(std::isnan(distribution_of(one).ci95));
    CHECK(distribution_of(one).p99 == 7);
    CHECK(distribution_of(one).outliers == 0);
    CHECK(std::isnan(distribution_of({}).mean));
    CHECK(distribution_of({}).count == 0);
    CHECK(histogram_of({}).counts.empty());
    CHECK(std::isnan(drift(one)));
}

TEST_CASE("the outlier limit uses the median of all distances from the median") {
    std::mt19937 random(7);
    for (int round = 0; round < 500; ++round) {
        std::vector<Nanos> values(1 + random() % 12);
        for (Nanos& value : values) value = random() % 30;
        std::sort(values.begin(), values.end());
        const double middle = quantile(values, 0.5);
        std::vector<Nanos> twice_off;
        for (const Nanos value : values)
            twice_off.push_back(std::abs(2 * value - std::llround(2 * middle)));
        std::sort(twice_off.begin(), twice_off.end());
        const double deviation = quantile(twice_off, 0.5) / 2;
        CHECK(outlier_limit(values) == doctest::Approx(middle + 3 * 1.4826 * deviation));
        CHECK(warm_up_count(values, outlier_limit(values)) == warm_up_count(values));
    }
}

TEST_CASE("warm-up is the leading part that is longer than the rest explains") {
    CHECK(warm_up_count(std::vector<Nanos>{900, 300, 100, 101, 99, 100, 102}) == 2);
    CHECK(warm_up_count(std::vector<Nanos>{100, 900, 101, 99, 100, 102}) == 0);
    CHECK(warm_up_count(std::vector<Nanos>{100, 101, 99, 100}) == 0);
    CHECK(warm_up_count(std::vector<Nanos>{900, 100}) == 0);
}

TEST_CASE("drift compares the last quarter with the first") {
    CHECK(drift(std::vector<Nanos>{100, 100, 7, 7, 7, 7, 150, 150}) == doctest::Approx(0.5));
    CHECK(std::isnan(drift(std::vector<Nanos>{1, 2, 3, 4, 5, 6, 7})));
}

// 1 to 1000: quartiles 499.5 apart, so bins of 2 × 499.5 / 10 = 99.9 ns, of which 999 ns need 10.
TEST_CASE("a histogram has Freedman and Diaconis' bins") {
    std::vector<Nanos> values(1000);
    std::iota(values.begin(), values.end(), 1);
    const Histogram histogram = histogram_of(values);
    REQUIRE(histogram.counts.size() == 10);
    CHECK(histogram.edges.front() == 1);
    CHECK(histogram.edges.back() == 1000);
    for (const uint64_t count : histogram.counts) CHECK(count == 100);
}

TEST_CASE("where quartiles are equal, each value has a bin, up to fifty bins") {
    const Histogram few = histogram_of(std::vector<Nanos>{3, 5, 5, 5, 5, 5, 5, 9});
    CHECK(few.edges == std::vector<double>{3, 5, 9, 10});
    CHECK(few.counts == std::vector<uint64_t>{1, 6, 1});
    CHECK(few.mode == 5);
    std::vector<Nanos> values(400, 0);
    for (Nanos i = 1; i <= 60; ++i) values.push_back(i);
    const Histogram many = histogram_of(values);
    CHECK(many.counts.size() == 50);
    CHECK(std::accumulate(many.counts.begin(), many.counts.end(), uint64_t{0}) == 460);
    CHECK(many.mode == doctest::Approx(0.6));
}

}  // namespace lanescope
