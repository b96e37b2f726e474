// Whether two samples differ: the Mann–Whitney rank test, which assumes no distribution, and Holm's
// correction for many tests at once.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace lanescope {

struct RankTest {
    double p = 1;       // two-sided; NaN if a sample is empty
    bool exact = true;  // from all ways of dividing the values, else from the normal distribution
};

// Tests pairs of samples. Distributions that several tests need are computed once.
class RankTester {
  public:
    // Exact tests that need more additions than `budget` use the normal distribution instead, with
    // the corrections for ties and for continuity.
    explicit RankTester(double budget) : budget_(budget) {}

    RankTest test(std::span<const double> a, std::span<const double> b);

  private:
    // By a rank sum, the share of the ways to choose the smaller sample that give this sum.
    using Shares = std::vector<double>;
    const Shares& shares_without_ties(std::size_t all, std::size_t chosen);

    double budget_;
    std::map<std::pair<std::size_t, std::size_t>, Shares> without_ties_;
};

// Enough for two samples of 50 with ties, or 60 without: about 0.1 s.
inline constexpr double kBudgetOfOneTest = 6e7;
// For each of many tests.
inline constexpr double kBudgetOfManyTests = 3e5;

// The p of samples in sequence whose neighbours resemble each other, as steps do while a clock or
// another program slows them down: so neighbouring samples are not independent. `p` is that of
// independent samples; the likeness is measured by the ranks of neighbours, and not for fewer than
// eight values.
double p_of_sequences(double p, std::span<const double> a, std::span<const double> b);

// Holm's adjusted p values, in the order of `p`: comparing them with a level keeps the probability
// of any false alarm below it. NaN: not tested, stays NaN and does not count.
std::vector<double> holm(std::span<const double> p);

// Twice the smaller probability that one value from a normal distribution lies as far from the mean
// of `sample`, by Student's t; NaN for fewer than two values in the sample.
double prediction_p(std::span<const double> sample, double value);

}  // namespace lanescope
