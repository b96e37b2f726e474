#include "core/analysis/statistics/median_bootstrap.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lanescope {

namespace {

constexpr double kNoInterval = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMinBootstrapDraws = 200;
constexpr std::size_t kMaxDrawnValues = 2'000'000;

// The value at `place` of a drawn sample, given how often each value was drawn.
uint32_t value_at(std::span<const uint32_t> times, std::size_t place) {
    uint32_t value = 0;
    for (std::size_t before = times[0]; before <= place; before += times[value]) ++value;
    return value;
}

}  // namespace

uint64_t FixedRandom::next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
}

// The upper 32 bits times the count: without a visible bias for counts of samples.
std::size_t FixedRandom::below(std::size_t count) {
    return static_cast<std::size_t>(((next() >> 32U) * count) >> 32U);
}

MedianBootstrap::MedianBootstrap(std::size_t count, uint64_t seed) {
    if (count == 0) return;
    FixedRandom random(seed);
    places_.resize(std::clamp(kMaxDrawnValues / count, kMinBootstrapDraws, kMaxBootstrapDraws));
    std::vector<uint32_t> times(count);
    for (auto& [low, high] : places_) {
        std::ranges::fill(times, 0U);
        for (std::size_t i = 0; i < count; ++i) ++times[random.below(count)];
        low = value_at(times, (count - 1) / 2);
        high = value_at(times, count / 2);
    }
}

double median_of(std::span<const double> sorted) {
    if (sorted.empty()) return kNoInterval;
    return (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
}

RatioInterval ratio_interval(const MedianBootstrap& draws_a, std::span<const double> a,
                             const MedianBootstrap& draws_b, std::span<const double> b) {
    const std::size_t draws = std::min(draws_a.draws(), draws_b.draws());
    if (draws == 0) return {kNoInterval, kNoInterval};
    std::vector<double> ratios(draws);
    for (std::size_t draw = 0; draw < draws; ++draw) {
        const double below = draws_a.median(a, draw);
        ratios[draw] =
            below > 0 ? draws_b.median(b, draw) / below : std::numeric_limits<double>::infinity();
    }
    std::ranges::sort(ratios);
    const auto at = [&](double share) {
        const double ratio =
            ratios[static_cast<std::size_t>(std::lround(share * static_cast<double>(draws - 1)))];
        return std::isfinite(ratio) ? ratio : kNoInterval;
    };
    return {at(0.025), at(0.975)};
}

}  // namespace lanescope
