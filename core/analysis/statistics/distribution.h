// Statistics and a histogram of durations.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/nanos.h"

namespace lanescope {

// Unknown values (the deviation of a single value, anything of none) are NaN.
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

// Linear interpolation between neighbours, like NumPy's default; `q` from 0 to 1; NaN without
// values.
double quantile(std::span<const Nanos> sorted, double q);

// p50 + 3 × 1.4826 × median absolute deviation; NaN without values.
double outlier_limit(std::span<const Nanos> sorted);

// The number of leading warm-up values: each exceeds the outlier limit of the values after them.
// `in_time`: in chronological order.
std::size_t warm_up_count(std::span<const Nanos> in_time);
// The same with a known outlier limit.
std::size_t warm_up_count(std::span<const Nanos> in_time, double limit);

// How much the median of the last quarter exceeds that of the first, relative to the first; NaN for
// fewer than eight values.
double drift(std::span<const Nanos> in_time);

// Bins [edges[i], edges[i + 1]); the last includes its upper edge. By the Freedman–Diaconis rule,
// at least 1 ns wide and at most 1,000 bins. If the quartiles are equal: one bin for each distinct
// value, or 50 equal bins if there are more values than that.
struct Histogram {
    std::vector<double> edges;  // one more than counts; empty without values
    std::vector<uint64_t> counts;
    bool of_values = false;  // each bin is a single value, its lower edge
    double mode = 0;         // centre of the fullest bin, or its value with of_values
};
Histogram histogram_of(std::span<const Nanos> sorted);

}  // namespace lanescope
