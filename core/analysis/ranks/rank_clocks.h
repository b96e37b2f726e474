// The clocks of ranks, compared by the ends of their matched collectives: a collective ends on all
// ranks at one moment, up to some microseconds.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/analysis/ranks/rank_match.h"

namespace lanescope {

enum class ClockBasis : uint8_t {
    none,       // no matched call connects it with another clock: its times stay as they are
    reference,  // the clock that others are compared with
    offset,     // a constant offset
    line,       // an offset and a drift
};
std::string_view clock_basis_name(ClockBasis basis);

// A clock that shows `offset + drift × (true time − at)` too much, by the reference's time.
struct RankClock {
    ClockBasis basis = ClockBasis::none;
    uint32_t component = 0;  // clocks of one component are comparable
    Nanos at = 0;            // on this clock
    Nanos offset = 0;
    double drift = 0;         // a ratio: 20e-6 is 20 ppm
    double offset_error = 0;  // standard errors, ns and ratio
    double drift_error = 0;
    double residual = 0;  // robust standard deviation of one end, ns
    uint64_t ends = 0;    // that the clock is derived from

    Nanos corrected(Nanos time) const;
};

struct RankClocks {
    std::vector<RankClock> all;             // one for each trace
    std::vector<uint32_t> clock_of_member;  // index in `all`
    uint32_t components = 0;

    const RankClock& of(uint32_t member) const { return all[clock_of_member[member]]; }
};

// The reference of a component is the clock of its lowest rank.
RankClocks fit_clocks(const RankData& data, const MatchedRanks& matched);

// A robust line through points: y = offset + slope × (x − centre). The slope is 0 unless it is
// significant.
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
// At least one point.
RobustLine fit_line(std::vector<LinePoint> points);

// The median of the values, which are rearranged; 0 without values.
double median_of(std::vector<double>& values);
// 1.4826 × the median absolute deviation from the median: the standard deviation of normal noise.
double robust_deviation(std::vector<double> values);

}  // namespace lanescope
