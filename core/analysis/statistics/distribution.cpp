#include "core/analysis/statistics/distribution.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/analysis/statistics/student_t.h"
#include "core/base/radix_sort.h"

namespace lanescope {

namespace {

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();
constexpr double kRobustDeviations = 3 * 1.4826;
constexpr std::size_t kMaxBins = 1000;
constexpr std::size_t kMaxBinsOfValues = 50;

double median_of(std::span<const Nanos> values) {
    std::vector<Nanos> sorted(values.begin(), values.end());
    radix_sort(sorted, radix_key);
    return quantile(sorted, 0.5);
}

double limit_of(std::span<const Nanos> in_time) {
    std::vector<Nanos> sorted(in_time.begin(), in_time.end());
    radix_sort(sorted, radix_key);
    return outlier_limit(sorted);
}

// The number of leading values above a limit; at most half of all values.
std::size_t leading_over(std::span<const Nanos> in_time, double limit) {
    std::size_t count = 0;
    while (count < in_time.size() / 2 && static_cast<double>(in_time[count]) > limit) ++count;
    return count;
}

double standard_deviation(std::span<const Nanos> values, double mean) {
    if (values.size() < 2) return kNotKnown;
    long double sum = 0;
    for (const Nanos value : values) {
        const long double distance =
            static_cast<long double>(value) - static_cast<long double>(mean);
        sum += distance * distance;
    }
    return static_cast<double>(std::sqrt(sum / static_cast<long double>(values.size() - 1)));
}

void spread_evenly(Histogram& histogram, std::span<const Nanos> sorted, std::size_t bins) {
    const auto first = static_cast<double>(sorted.front());
    const double range = static_cast<double>(sorted.back()) - first;
    for (std::size_t i = 0; i <= bins; ++i)
        histogram.edges.push_back(first +
                                  range * static_cast<double>(i) / static_cast<double>(bins));
    histogram.edges.back() = static_cast<double>(sorted.back());
    histogram.counts.assign(bins, 0);
    std::size_t bin = 0;
    for (const Nanos value : sorted) {
        while (bin + 1 < bins && static_cast<double>(value) >= histogram.edges[bin + 1]) ++bin;
        ++histogram.counts[bin];
    }
    const auto fullest = std::max_element(histogram.counts.begin(), histogram.counts.end()) -
                         histogram.counts.begin();
    const auto i = static_cast<std::size_t>(fullest);
    histogram.mode = (histogram.edges[i] + histogram.edges[i + 1]) / 2;
}

void spread_by_value(Histogram& histogram, std::span<const Nanos> sorted) {
    uint64_t highest = 0;
    histogram.of_values = true;
    for (std::size_t i = 0; i < sorted.size();) {
        std::size_t next = i;
        while (next < sorted.size() && sorted[next] == sorted[i]) ++next;
        histogram.edges.push_back(static_cast<double>(sorted[i]));
        histogram.counts.push_back(next - i);
        if (next - i > highest) histogram.mode = static_cast<double>(sorted[i]);
        highest = std::max<uint64_t>(highest, next - i);
        i = next;
    }
    histogram.edges.push_back(static_cast<double>(sorted.back()) + 1);
}

std::size_t distinct_values(std::span<const Nanos> sorted) {
    std::size_t count = 1;
    for (std::size_t i = 1; i < sorted.size(); ++i) count += sorted[i] != sorted[i - 1] ? 1 : 0;
    return count;
}

}  // namespace

double quantile(std::span<const Nanos> sorted, double q) {
    if (sorted.empty()) return kNotKnown;
    const double place = q * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const auto low = static_cast<double>(sorted[below]);
    if (below + 1 >= sorted.size()) return low;
    const double step = static_cast<double>(sorted[below + 1] - sorted[below]);
    return low + step * (place - static_cast<double>(below));
}

// Distances from the median grow towards both sides, so the smallest half of them is taken from the
// two sides alternately.
double outlier_limit(std::span<const Nanos> sorted) {
    if (sorted.empty()) return kNotKnown;
    // Twice the distance from the median is an integer.
    const std::size_t middle = sorted.size() / 2;
    const Nanos twice_median =
        sorted.size() % 2 == 1 ? 2 * sorted[middle] : sorted[middle - 1] + sorted[middle];
    const auto distance = [&](std::size_t i) { return std::abs(2 * sorted[i] - twice_median); };
    std::size_t below = middle;
    std::size_t above = middle;
    std::array<Nanos, 2> nearest = {};  // the last two distances taken
    for (std::size_t taken = 0; taken <= middle; ++taken) {
        const bool down =
            below > 0 && (above == sorted.size() || distance(below - 1) <= distance(above));
        nearest = {nearest[1], distance(down ? --below : above++)};
    }
    if (sorted.size() % 2 == 1) nearest[0] = nearest[1];
    return static_cast<double>(twice_median) / 2 + kRobustDeviations * quantile(nearest, 0.5) / 2;
}

Distribution distribution_of(std::span<const Nanos> sorted) {
    Distribution d;
    d.count = sorted.size();
    if (sorted.empty()) {
        d.mean = d.sd = d.ci95 = d.p50 = d.p90 = d.p99 = d.outlier_limit = kNotKnown;
        return d;
    }
    for (const Nanos value : sorted) d.total += value;
    d.min = sorted.front();
    d.max = sorted.back();
    d.mean = static_cast<double>(d.total) / static_cast<double>(d.count);
    d.sd = standard_deviation(sorted, d.mean);
    d.ci95 = d.count > 1 ? student_t(d.count - 1) * d.sd / std::sqrt(static_cast<double>(d.count))
                         : kNotKnown;
    d.p50 = quantile(sorted, 0.5);
    d.p90 = quantile(sorted, 0.9);
    d.p99 = quantile(sorted, 0.99);
    d.outlier_limit = outlier_limit(sorted);
    const auto first_over = std::partition_point(sorted.begin(), sorted.end(), [&](Nanos value) {
        return static_cast<double>(value) <= d.outlier_limit;
    });
    d.outliers = static_cast<uint64_t>(sorted.end() - first_over);
    return d;
}

// The limit over all values selects candidates; the limit over the remaining values decides.
std::size_t warm_up_count(std::span<const Nanos> in_time) {
    return in_time.size() < 3 ? 0 : warm_up_count(in_time, limit_of(in_time));
}

std::size_t warm_up_count(std::span<const Nanos> in_time, double limit) {
    if (in_time.size() < 3) return 0;
    const std::size_t likely = leading_over(in_time, limit);
    return likely == 0 ? 0 : leading_over(in_time, limit_of(in_time.subspan(likely)));
}

double drift(std::span<const Nanos> in_time) {
    const std::size_t quarter = in_time.size() / 4;
    if (quarter < 2) return kNotKnown;
    const double first = median_of(in_time.first(quarter));
    const double last = median_of(in_time.last(quarter));
    return first > 0 ? (last - first) / first : kNotKnown;
}

Histogram histogram_of(std::span<const Nanos> sorted) {
    Histogram histogram;
    histogram.mode = kNotKnown;
    if (sorted.empty()) return histogram;
    const double quartiles = quantile(sorted, 0.75) - quantile(sorted, 0.25);
    if (quartiles == 0) {
        if (distinct_values(sorted) <= kMaxBinsOfValues)
            spread_by_value(histogram, sorted);
        else
            spread_evenly(histogram, sorted, kMaxBinsOfValues);
        return histogram;
    }
    const double width =
        std::max(1.0, 2 * quartiles / std::cbrt(static_cast<double>(sorted.size())));
    const double range = static_cast<double>(sorted.back() - sorted.front());
    const double bins = std::min(std::ceil(range / width), static_cast<double>(kMaxBins));
    spread_evenly(histogram, sorted, std::max<std::size_t>(1, static_cast<std::size_t>(bins)));
    return histogram;
}

}  // namespace lanescope
