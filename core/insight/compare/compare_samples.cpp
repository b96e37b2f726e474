#include "core/insight/compare/compare_samples.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lanescope {

namespace {

constexpr double kUnknownNumber = std::numeric_limits<double>::quiet_NaN();
// A ratio surely within these limits, or a difference of this share of the step, is no change.
constexpr double kSameRatio = 0.02;
constexpr double kSameShare = 0.001;

// Returns whether the distance between the samples exceeds the spread of each sample: then no drift
// inside a run explains the distance.
bool far_apart(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.empty() || b.empty()) return false;
    const auto [low_a, high_a] = std::ranges::minmax(a);
    const auto [low_b, high_b] = std::ranges::minmax(b);
    const double distance = std::max(low_b - high_a, low_a - high_b);
    return distance > std::max(high_a - low_a, high_b - low_b);
}

}  // namespace

bool enough_samples(const Comparison& comparison, std::size_t a, std::size_t b) {
    if (a >= kMinSamples && b >= kMinSamples) return true;
    return comparison.of_runs() && a >= kMinSamples && b == 1;
}

double median_of_any(std::vector<double> values) {
    std::ranges::sort(values);
    return median_of(values);
}

void RowTester::measure(const Comparison& comparison, CompareRow& row) {
    std::vector<double> a = row.a.samples;
    std::vector<double> b = row.b.samples;
    std::ranges::sort(a);
    std::ranges::sort(b);
    row.a.time = median_of(a);
    row.b.time = median_of(b);
    row.difference = row.b.time - row.a.time;
    row.ratio = row.a.time > 0 ? row.b.time / row.a.time : kUnknownNumber;
    row.ratio_low = row.ratio_high = row.p = row.p_holm = kUnknownNumber;
    if (!enough_samples(comparison, a.size(), b.size())) return;
    const RatioInterval interval = ratio_interval(draws_a_, a, draws_b_, b);
    row.ratio_low = interval.low;
    row.ratio_high = interval.high;
    row.p = b.size() == 1 ? prediction_p(a, b.front()) : ranks_.test(a, b).p;
}

void judge_row(double chance, double least, double step, CompareRow& row) {
    if (row.verdict != Verdict::none) return;
    const bool is_small = std::abs(row.difference) < kSameShare * step ||
                          (row.ratio_low > 1 - kSameRatio && row.ratio_high < 1 + kSameRatio);
    const bool can_be_significant = !std::isnan(chance) && least < kMaxChance;
    const bool is_significant = can_be_significant && chance < kMaxChance;
    if (row.difference == 0 || (can_be_significant && !is_significant && is_small))
        row.verdict = Verdict::same;
    else if (!can_be_significant)
        row.verdict = Verdict::too_few;
    else if (is_significant)
        row.verdict = row.difference > 0 ? Verdict::slower : Verdict::faster;
    else
        row.verdict = Verdict::unclear;
}

double least_p(std::size_t a, std::size_t b) {
    if (b == 1) return 0;  // Student's t has no least p
    double ways = 1;       // to divide the samples
    for (std::size_t i = 1; i <= std::min(a, b); ++i)
        ways *= static_cast<double>(a + b + 1 - i) / static_cast<double>(i);
    return 2 / ways;
}

double chance_of(const Comparison& comparison, const CompareRow& row) {
    if (comparison.of_runs() || far_apart(row.a.samples, row.b.samples)) return row.p;
    return p_of_sequences(row.p, row.a.samples, row.b.samples);
}

double chance_of_samples(std::span<const double> a, std::span<const double> b) {
    if (a.size() < kMinSamples || (b.size() < kMinSamples && b.size() != 1)) return kUnknownNumber;
    if (b.size() == 1) return prediction_p(a, b.front());
    const double p = RankTester(kBudgetOfOneTest).test(a, b).p;
    if (far_apart({a.begin(), a.end()}, {b.begin(), b.end()})) return p;
    return p_of_sequences(p, a, b);
}

void add_row(CompareRow& to, const CompareRow& row) {
    const auto add = [](CompareSide& sum, const CompareSide& side) {
        sum.samples.resize(std::max(sum.samples.size(), side.samples.size()), 0);
        for (std::size_t i = 0; i < side.samples.size(); ++i) sum.samples[i] += side.samples[i];
        sum.gpu += side.gpu;
        sum.calls += side.calls;
        add_parts(sum.inside, side.inside);
        if (!sum.longest) sum.longest = side.longest;
    };
    add(to.a, row.a);
    add(to.b, row.b);
    to.places += row.places;
    to.functions.insert(to.functions.end(), row.functions.begin(), row.functions.end());
}

}  // namespace lanescope
