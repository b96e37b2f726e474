#include "core/analysis/ranks/late_arrivals.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace lanescope {

namespace {

constexpr std::size_t kWindow = 9;  // calls in the running median

// The lateness of one member in the calls of one class.
struct LatenessSeries {
    std::vector<std::size_t> calls;  // positions in the list of the class
    std::vector<uint32_t> arrivals;
    std::vector<double> lateness;
};

// Standard deviation of the lateness without faults: the smaller of two robust estimates, so that
// neither a single late arrival nor a lasting change raises it.
double noise_of(const std::vector<double>& lateness) {
    const double around_median = robust_deviation(lateness);
    if (lateness.size() < 3) return around_median;
    std::vector<double> changes;
    for (std::size_t i = 1; i < lateness.size(); ++i)
        changes.push_back(std::abs(lateness[i] - lateness[i - 1]));
    return std::min(around_median, 1.4826 * median_of(changes) / std::sqrt(2.0));
}

struct RunningMedian {
    double value = 0;
    double count = 0;
};
RunningMedian running_median(const std::vector<double>& values, std::size_t i) {
    const std::size_t begin = i < kWindow / 2 ? 0 : i - kWindow / 2;
    const std::size_t end = std::min(values.size(), i + kWindow / 2 + 1);
    std::vector<double> window(values.begin() + static_cast<std::ptrdiff_t>(begin),
                               values.begin() + static_cast<std::ptrdiff_t>(end));
    const auto count = static_cast<double>(window.size());
    return {median_of(window), count};
}

}  // namespace

LateOfClass late_in_class(const std::vector<uint32_t>& calls, const MatchedRanks& matched,
                          const RankWaits& waits, const RankLimits& limits) {
    std::map<uint32_t, LatenessSeries> by_member;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const MatchedCall& call = matched.calls[calls[i]];
        for (uint32_t a = call.first; a < call.first + call.count; ++a) {
            LatenessSeries& series = by_member[waits.arrivals[a].member];
            series.calls.push_back(i);
            series.arrivals.push_back(a);
            series.lateness.push_back(static_cast<double>(waits.arrivals[a].lateness));
        }
    }
    LateOfClass late;
    late.by_call.resize(calls.size());
    std::vector<double> noises;
    noises.reserve(by_member.size());
    for (const auto& [member, series] : by_member) noises.push_back(noise_of(series.lateness));
    late.noise = median_of(noises);
    for (const auto& [member, series] : by_member) {
        for (std::size_t i = 0; i < series.calls.size(); ++i) {
            const double own = series.lateness[i];
            const double least =
                std::max(static_cast<double>(limits.min_lateness),
                         limits.uncertainty_factor * waits.calls[calls[series.calls[i]]].error);
            if (own <= least) continue;
            // An arrival is late if it is far beyond the noise, or if the lateness lasts.
            const RunningMedian lasting = running_median(series.lateness, i);
            const bool is_far = own > limits.noise_factor * late.noise;
            const bool lasts = lasting.value > least && own > lasting.value / 2 &&
                               lasting.value > limits.noise_factor * 1.2533 * late.noise /
                                                   std::sqrt(lasting.count);
            if (is_far || lasts) late.by_call[series.calls[i]].push_back(series.arrivals[i]);
        }
    }
    return late;
}

}  // namespace lanescope
