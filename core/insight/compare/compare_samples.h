// Samples of rows, and what they show. A part of compare_runs() and judge().
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/statistics/median_bootstrap.h"
#include "core/analysis/statistics/rank_test.h"
#include "core/insight/compare/compare.h"

namespace lanescope {

// Fewer samples on a side show nothing.
inline constexpr std::size_t kMinSamples = 5;
// The highest probability of chance at which a difference counts.
inline constexpr double kMaxChance = 0.01;

// Whether samples suffice: five on each side, or five runs and a new one.
bool enough_samples(const Comparison& comparison, std::size_t a, std::size_t b);

class RowTester {
  public:
    RowTester(std::size_t samples_a, std::size_t samples_b, double budget)
        : draws_a_(samples_a, 1), draws_b_(samples_b, 2), ranks_(budget) {}

    // Medians, difference, ratio with its interval, and p; not what needs the other rows.
    void measure(const Comparison& comparison, CompareRow& row);

  private:
    MedianBootstrap draws_a_, draws_b_;
    RankTester ranks_;
};

// The smallest p of samples of these sizes.
double least_p(std::size_t a, std::size_t b);

// The row's p, corrected for the likeness of successive steps, unless samples are far apart.
double chance_of(const Comparison& comparison, const CompareRow& row);

// The same p of two samples alone. A single value in `b` is compared with the prediction interval
// of `a`. NaN: a sample has fewer than kMinSamples values, except `b` of one.
double chance_of_samples(std::span<const double> a, std::span<const double> b);

// Sets the verdict by `chance`, a p value that cannot be smaller than `least`; NaN: not tested.
// `step`: the median step of the first side.
void judge_row(double chance, double least, double step, CompareRow& row);

// Adds the samples, times and calls of another row.
void add_row(CompareRow& to, const CompareRow& row);

double median_of_any(std::vector<double> values);

}  // namespace lanescope
