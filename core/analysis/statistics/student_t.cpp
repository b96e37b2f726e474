// Formulas: Abramowitz and Stegun, Handbook of Mathematical Functions, section 26.7.
#include "core/analysis/statistics/student_t.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lanescope {

namespace {

constexpr double kWithin = 0.95;          // probability of |t| below the quantile
constexpr double kZ = 1.959963984540054;  // the quantile of the normal distribution
constexpr uint64_t kMaxExact = 1000;  // degrees of freedom up to which the exact formula is used

// 26.7.5: powers of 1 / n. From 1000 degrees of freedom on, the next term is below the rounding of
// a double.
double asymptotic(double n) {
    constexpr double z2 = kZ * kZ;
    constexpr double g1 = kZ * (z2 + 1) / 4;
    constexpr double g2 = kZ * ((5 * z2 + 16) * z2 + 3) / 96;
    constexpr double g3 = kZ * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
    constexpr double g4 = kZ * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
    return kZ + (g1 + (g2 + (g3 + g4 / n) / n) / n) / n;
}

// 26.7.3 and 26.7.4: the probability that |t| is below sqrt(n) tan(angle). Sets `term` to the last
// power of the cosine, with its factors.
double probability_within(double angle, uint64_t freedom, double& term) {
    const bool odd = freedom % 2 == 1;
    const double factor = odd ? 2 / std::numbers::pi : 1;
    if (freedom == 1) return factor * angle;
    const double cosine = std::cos(angle);
    term = odd ? cosine : 1;
    double sum = term;
    for (uint64_t power = odd ? 1 : 0; power + 2 < freedom; power += 2) {
        const auto p = static_cast<double>(power);
        term *= cosine * cosine * (p + 1) / (p + 2);
        sum += term;
    }
    return factor * ((odd ? angle : 0) + std::sin(angle) * sum);
}

}  // namespace

// 26.7.3 and 26.7.4 give the probability as a sum of powers of cos(angle), where t = sqrt(n)
// tan(angle). It is solved for the angle by Newton's method: the probability is concave in the
// angle, so that from a start below the solution every step leads closer without passing it.
double student_t(uint64_t freedom) {
    const auto n = static_cast<double>(freedom);
    if (freedom == 1) return std::tan(kWithin * std::numbers::pi / 2);
    if (freedom > kMaxExact) return asymptotic(n);
    const bool odd = freedom % 2 == 1;
    const double factor = odd ? 2 / std::numbers::pi : 1;
    double angle = std::atan((kZ + (kZ * kZ * kZ + kZ) / (4 * n)) / std::sqrt(n));
    double step = 0;
    do {
        double term = 1;
        const double within = probability_within(angle, freedom, term);
        step = (kWithin - within) / (factor * (n - 1) * term * std::cos(angle));
        angle += step;
    } while (step > 1e-14);
    return std::sqrt(n) * std::tan(angle);
}

double student_t_outside(double t, uint64_t freedom) {
    if (freedom > kMaxExact) return std::erfc(t / std::numbers::sqrt2);
    double term = 1;
    const double angle = std::atan(t / std::sqrt(static_cast<double>(freedom)));
    return std::max(0.0, 1 - probability_within(angle, freedom, term));
}

}  // namespace lanescope
