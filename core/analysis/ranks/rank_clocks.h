// Clocks of ranks, fitted to the ends of matched collectives: a collective ends on all ranks at the
// same moment, within a few microseconds.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/analysis/ranks/rank_match.h"

namespace lanescope {

enum class ClockBasis : uint8_t {
    none,       // no matched call connects it with another clock; times are not corrected
    reference,  // the clock that the others are compared with
    offset,     // a constant offset
    line,       // an offset and a drift
};
std::string_view clock_basis_name(ClockBasis basis);

// A clock that is ahead of the reference's time by `offset + drift × (t − at)`, where t is the time
// that the clock shows. Times are in ns.
struct RankClock {
    ClockBasis basis = ClockBasis::none;
    uint32_t component = 0;  // clocks of one component are comparable
    Nanos at = 0;            // the clock's own time at which `offset` applies
    Nanos offset = 0;
    double drift = 0;         // ratio: 20e-6 is 20 ppm
    double offset_error = 0;  // standard error, ns
    double drift_error = 0;   // standard error, ratio
    double residual = 0;      // robust standard deviation of a single end, ns
    uint64_t ends = 0;        // number of ends that the clock was fitted to

    // Converts a time of this clock to the reference's time.
    Nanos corrected(Nanos time) const;
};

struct RankClocks {
    std::vector<RankClock> all;             // one for each trace
    std::vector<uint32_t> clock_of_member;  // index in `all`
    uint32_t components = 0;

    const RankClock& of(uint32_t member) const { return all[clock_of_member[member]]; }
};

// Fits all clocks. The clock of the lowest rank is the reference of its component.
RankClocks fit_clocks(const RankData& data, const MatchedRanks& matched);

// A robust line through points: y = offset + slope × (x − centre). The slope is 0 if it is not
// significant. Errors are standard errors; `residual` is the robust standard deviation of y.
struct RobustLine {
    double centre = 0;
    double offset = 0;
    double slope = 0;
    double offset_error = 0;
    double slope_error = 0;
    double residual = 0;
    bool has_slope = false;
};
struct LinePoint {
    double x = 0;
    double y = 0;
};
// Median of pairwise slopes (Theil–Sen) over blocks of points, refined by least squares. Requires
// at least one point.
RobustLine fit_line(std::vector<LinePoint> points);

// The median, or 0 if there are no values. Reorders the values.
double median_of(std::vector<double>& values);
// 1.4826 × the median absolute deviation from the median: estimates the standard deviation of
// normally distributed values.
double robust_deviation(std::vector<double> values);

}  // namespace lanescope
