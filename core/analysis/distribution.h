// How often something took how long: statistics and a histogram of durations.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/nanos.h"

namespace lanescope {

// What is not known (the deviation of a single value, anything of none) is NaN.
struct Distribution {
    uint64_t count = 0;
    Nanos total = 0;
    Nanos min = 0;
    Nanos max = 0;
    double mean = 0;
    double sd = 0;    // n - 1
    double ci95 = 0;  // half width of the 95 % confidence interval of the mean, by Student's t
    double p50 = 0;
    double p90 = 0;
    double p99 = 0;
    double outlier_limit = 0;  // p50 + 3 × 1.4826 × median absolute deviation
    uint64_t outliers = 0;     // values over it
};

// `sorted` ascending.
Distribution distribution_of(std::span<const Nanos> sorted);

// Linear between the two neighbours, as NumPy's default; `q` from 0 to 1, NaN of nothing.
double quantile(std::span<const Nanos> sorted, double q);

// p50 + 3 × 1.4826 × median absolute deviation; NaN of nothing.
double outlier_limit(std::span<const Nanos> sorted);

// How many values at the beginning are warm-up: each longer than the outlier limit of those behind
// them. `in_time`: in the order in which they happened.
std::size_t warm_up_count(std::span<const Nanos> in_time);
// The same where their outlier limit is known already.
std::size_t warm_up_count(std::span<const Nanos> in_time, double limit);

// How much the last quarter's median is longer than the first quarter's, as a part of the first's;
// NaN of fewer than eight values.
double drift(std::span<const Nanos> in_time);

// Bins [edges[i], edges[i + 1]), the last with its upper edge. By Freedman and Diaconis, at least
// 1 ns wide and at most 1,000; where the quartiles are equal one for each distinct value, or 50
// of one width where there are more.
struct Histogram {
    std::vector<double> edges;  // one more than counts; empty of nothing
    std::vector<uint64_t> counts;
    bool of_values = false;  // each bin is one value, which is its lower edge
    double mode = 0;         // middle of the fullest bin (or its value where it has one of its own)
};
Histogram histogram_of(std::span<const Nanos> sorted);

}  // namespace lanescope
