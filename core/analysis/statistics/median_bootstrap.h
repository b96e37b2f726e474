// Confidence intervals of medians and of their ratio by the bootstrap: the samples are drawn again
// and again from their own values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace lanescope {

// Where the median of each drawn sample of `count` values lies among the sorted values. That
// depends only on `count`, so many samples of one size share the draws. The same in every run.
class MedianBootstrap {
  public:
    MedianBootstrap(std::size_t count, uint64_t seed);

    std::size_t draws() const { return places_.size(); }
    // `sorted`: `count` values, ascending.
    double median(std::span<const double> sorted, std::size_t draw) const {
        const auto [low, high] = places_[draw];
        return (sorted[low] + sorted[high]) / 2;
    }

  private:
    // The two middle values; for an odd count both are the same.
    std::vector<std::pair<uint32_t, uint32_t>> places_;
};

// Large samples get fewer resamples, to limit the time.
inline constexpr std::size_t kMaxBootstrapDraws = 1000;

struct RatioInterval {
    double low = 0;  // NaN: not known
    double high = 0;
};
// The 95 % interval of the median of `b` over that of `a`; both sorted. NaN if a sample is empty or
// has a median of 0 too often.
RatioInterval ratio_interval(const MedianBootstrap& draws_a, std::span<const double> a,
                             const MedianBootstrap& draws_b, std::span<const double> b);

// The median of sorted values; NaN if there are none.
double median_of(std::span<const double> sorted);

// Pseudo-random numbers that are the same on every machine: SplitMix64.
class FixedRandom {
  public:
    explicit FixedRandom(uint64_t seed) : state_(seed) {}
    uint64_t next();
    std::size_t below(std::size_t count);

  private:
    uint64_t state_;
};

}  // namespace lanescope
