#include "core/analysis/statistics/rank_test.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>

#include "core/analysis/statistics/student_t.h"

namespace lanescope {

namespace {

constexpr double kNoP = std::numeric_limits<double>::quiet_NaN();

// Twice the mean rank of each value of `a`, then of `b`: whole numbers in spite of ties.
struct DoubledRanks {
    std::vector<uint32_t> rank;
    double ties = 0;  // Σ t³ − t over groups of t equal values
};

DoubledRanks doubled_ranks(std::span<const double> a, std::span<const double> b) {
    std::vector<double> values(a.begin(), a.end());
    values.insert(values.end(), b.begin(), b.end());
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
    DoubledRanks ranks;
    ranks.rank.resize(values.size());
    for (std::size_t first = 0; first < order.size();) {
        std::size_t last = first;
        while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
        for (std::size_t i = first; i < last; ++i)
            ranks.rank[order[i]] = static_cast<uint32_t>(first + last + 1);
        const auto equal = static_cast<double>(last - first);
        ranks.ties += equal * equal * equal - equal;
        first = last;
    }
    return ranks;
}

// By sum, the share of all choices of `chosen` numbers that have it. Shares instead of counts,
// since counts of large samples exceed a double.
std::vector<double> shares_by_sum(std::span<const uint32_t> numbers, std::size_t chosen) {
    std::vector<uint32_t> largest(numbers.begin(), numbers.end());
    std::ranges::sort(largest, std::greater<>());
    const auto highest = std::accumulate(
        largest.begin(), largest.begin() + static_cast<std::ptrdiff_t>(chosen), std::size_t{0});
    std::vector<std::vector<double>> shares(chosen + 1, std::vector<double>(highest + 1, 0));
    shares[0][0] = 1;
    std::size_t before = 0;
    for (const uint32_t number : numbers) {
        ++before;
        for (std::size_t k = std::min(before, chosen); k > 0; --k) {
            // Among choices of k out of `before`, a share of k / before has the new number.
            const double with = static_cast<double>(k) / static_cast<double>(before);
            std::vector<double>& to = shares[k];
            const std::vector<double>& from = shares[k - 1];
            for (std::size_t sum = highest + 1; sum-- > 0;) {
                const double taken = sum >= number ? from[sum - number] * with : 0;
                to[sum] = to[sum] * (1 - with) + taken;
            }
        }
    }
    return std::move(shares.back());
}

// The correlation of the ranks of neighbours, corrected for its bias in short sequences.
double likeness_of_neighbours(std::span<const double> values) {
    constexpr std::size_t kMinSequence = 8;
    if (values.size() < kMinSequence) return 0;
    const DoubledRanks ranks = doubled_ranks(values, {});
    const auto n = static_cast<double>(values.size());
    const double mean = n + 1;
    double squares = 0;
    double products = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double away = static_cast<double>(ranks.rank[i]) - mean;
        squares += away * away;
        if (i > 0) products += away * (static_cast<double>(ranks.rank[i - 1]) - mean);
    }
    if (squares <= 0) return 0;
    const double correlation = products / squares;
    return correlation + (1 + 4 * std::max(correlation, 0.0)) / n;
}

// The z whose two-sided p this is, by bisection.
double z_of(double p) {
    double low = 0;
    double high = 40;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (std::erfc(middle / std::numbers::sqrt2) > p ? low : high) = middle;
    }
    return low;
}

double normal_p(const DoubledRanks& ranks, double rank_sum, double a, double b) {
    const double all = a + b;
    const double variance = a * b / 12 * (all + 1 - ranks.ties / (all * (all - 1)));
    if (variance <= 0) return 1;
    const double away = std::abs(rank_sum - a * (all + 1) / 2) - 0.5;
    return away <= 0 ? 1 : std::erfc(away / std::sqrt(variance) / std::numbers::sqrt2);
}

}  // namespace

const RankTester::Shares& RankTester::shares_without_ties(std::size_t all, std::size_t chosen) {
    const auto [found, added] = without_ties_.try_emplace({all, chosen});
    if (added) {
        std::vector<uint32_t> numbers(all);
        std::iota(numbers.begin(), numbers.end(), 1U);
        found->second = shares_by_sum(numbers, chosen);
    }
    return found->second;
}

RankTest RankTester::test(std::span<const double> a, std::span<const double> b) {
    if (a.empty() || b.empty()) return {kNoP, true};
    if (a.size() > b.size()) std::swap(a, b);  // the test is symmetric
    const DoubledRanks ranks = doubled_ranks(a, b);
    const std::size_t all = a.size() + b.size();
    const auto doubled_sum =
        std::accumulate(ranks.rank.begin(),
                        ranks.rank.begin() + static_cast<std::ptrdiff_t>(a.size()), uint64_t{0});
    const auto chosen = static_cast<double>(a.size());
    const auto total = static_cast<double>(all);
    const bool tied = ranks.ties > 0;
    const double work = total * chosen * (total * (total + 1) / 2) * (tied ? 2 : 1);
    if (work > budget_)
        return {normal_p(ranks, static_cast<double>(doubled_sum) / 2, chosen,
                         static_cast<double>(b.size())),
                false};
    const Shares of_ties = tied ? shares_by_sum(ranks.rank, a.size()) : Shares();
    const Shares& shares = tied ? of_ties : shares_without_ties(all, a.size());
    // Twice the distance from the mean, in the units of `shares`.
    const auto distance = [&](uint64_t sum) {
        const auto doubled = static_cast<int64_t>(tied ? 2 * sum : 4 * sum);
        return std::abs(doubled - static_cast<int64_t>(2 * a.size() * (all + 1)));
    };
    const int64_t seen = distance(tied ? doubled_sum : doubled_sum / 2);
    double p = 0;
    for (uint64_t sum = 0; sum < shares.size(); ++sum)
        if (distance(sum) >= seen) p += shares[sum];
    constexpr double kRounding = 1e-9;  // of sums of all shares
    return {p > 1 - kRounding ? 1 : p, true};
}

double p_of_sequences(double p, std::span<const double> a, std::span<const double> b) {
    constexpr double kMaxLikeness = 0.95;
    const auto count_a = static_cast<double>(a.size());
    const auto count_b = static_cast<double>(b.size());
    const double likeness =
        (likeness_of_neighbours(a) * count_a + likeness_of_neighbours(b) * count_b) /
        std::max(count_a + count_b, 1.0);
    if (std::isnan(p) || likeness <= 0) return p;
    const double bounded = std::min(likeness, kMaxLikeness);
    // The variance of a mean grows by this factor, if likeness fades evenly with the distance.
    const double growth = (1 + bounded) / (1 - bounded);
    return std::erfc(z_of(p) / std::sqrt(growth) / std::numbers::sqrt2);
}

std::vector<double> holm(std::span<const double> p) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < p.size(); ++i)
        if (!std::isnan(p[i])) order.push_back(i);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p[i]; });
    std::vector<double> adjusted(p.size(), kNoP);
    double highest = 0;
    for (std::size_t place = 0; place < order.size(); ++place) {
        highest = std::max(highest, p[order[place]] * static_cast<double>(order.size() - place));
        adjusted[order[place]] = std::min(highest, 1.0);
    }
    return adjusted;
}

double prediction_p(std::span<const double> sample, double value) {
    if (sample.size() < 2) return kNoP;
    const auto n = static_cast<double>(sample.size());
    const double mean = std::accumulate(sample.begin(), sample.end(), 0.0) / n;
    double squares = 0;
    for (const double one : sample) squares += (one - mean) * (one - mean);
    const double deviation = std::sqrt(squares / (n - 1) * (1 + 1 / n));
    if (deviation <= 0) return value == mean ? 1 : 0;
    return student_t_outside(std::abs(value - mean) / deviation, sample.size() - 1);
}

}  // namespace lanescope
