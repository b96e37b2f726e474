#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/analysis/ranks/rank_clocks.h"

namespace lanescope {

namespace {

// The standard deviation of normal values / their median absolute deviation.
constexpr double kToDeviation = 1.4826;
constexpr std::size_t kLeastPointsOfSlope = 8;
constexpr std::size_t kMostBlocks = 64;
constexpr double kSignificant = 3;    // in standard errors
constexpr double kLeastSlope = 1e-9;  // smaller drifts are ignored
constexpr double kTrimmed = 3;        // points farther from the first line are left out, in sigma

// Medians of blocks of points that are sorted by x, so that few pairs have to be compared.
std::vector<LinePoint> blocks_of(const std::vector<LinePoint>& points) {
    const std::size_t count = std::min(points.size(), kMostBlocks);
    std::vector<LinePoint> blocks;
    for (std::size_t b = 0; b < count; ++b) {
        const std::size_t begin = points.size() * b / count;
        const std::size_t end = points.size() * (b + 1) / count;
        std::vector<double> x;
        std::vector<double> y;
        for (std::size_t i = begin; i < end; ++i) {
            x.push_back(points[i].x);
            y.push_back(points[i].y);
        }
        blocks.push_back({median_of(x), median_of(y)});
    }
    return blocks;
}

// The median slope of all pairs of points.
double slope_of_pairs(const std::vector<LinePoint>& points) {
    std::vector<double> slopes;
    for (std::size_t i = 0; i < points.size(); ++i)
        for (std::size_t j = i + 1; j < points.size(); ++j)
            if (points[j].x > points[i].x)
                slopes.push_back((points[j].y - points[i].y) / (points[j].x - points[i].x));
    return median_of(slopes);
}

std::vector<double> rests_of(const std::vector<LinePoint>& points, const RobustLine& line) {
    std::vector<double> rests;
    rests.reserve(points.size());
    for (const LinePoint& point : points)
        rests.push_back(point.y - line.slope * (point.x - line.centre));
    return rests;
}

void fit_offset(const std::vector<LinePoint>& points, RobustLine& line) {
    std::vector<double> rests = rests_of(points, line);
    line.residual = robust_deviation(rests);
    line.offset = median_of(rests);
    // The standard error of a median of n normal values is 1.2533 times that of their mean.
    line.offset_error = 1.2533 * line.residual / std::sqrt(static_cast<double>(points.size()));
}

// Least squares over the points near the line.
void refine_slope(const std::vector<LinePoint>& points, RobustLine& line) {
    std::vector<LinePoint> near;
    const double limit = kTrimmed * std::max(line.residual, 1.0);
    for (const LinePoint& point : points)
        if (std::abs(point.y - line.offset - line.slope * (point.x - line.centre)) <= limit)
            near.push_back(point);
    if (near.size() < kLeastPointsOfSlope) return;
    double x_mean = 0;
    double y_mean = 0;
    for (const LinePoint& point : near) {
        x_mean += point.x / static_cast<double>(near.size());
        y_mean += point.y / static_cast<double>(near.size());
    }
    double xx = 0;
    double xy = 0;
    for (const LinePoint& point : near) {
        xx += (point.x - x_mean) * (point.x - x_mean);
        xy += (point.x - x_mean) * (point.y - y_mean);
    }
    if (xx <= 0) return;
    line.slope = xy / xx;
    line.slope_error = line.residual / std::sqrt(xx);
}

}  // namespace

double median_of(std::vector<double>& values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double robust_deviation(std::vector<double> values) {
    const double middle = median_of(values);
    for (double& value : values) value = std::abs(value - middle);
    return kToDeviation * median_of(values);
}

RobustLine fit_line(std::vector<LinePoint> points) {
    std::ranges::sort(points, {}, &LinePoint::x);
    RobustLine line;
    line.centre = (points.front().x + points.back().x) / 2;
    if (points.size() >= kLeastPointsOfSlope) {
        line.slope = slope_of_pairs(blocks_of(points));
        fit_offset(points, line);
        refine_slope(points, line);
        line.has_slope =
            std::abs(line.slope) > std::max(kSignificant * line.slope_error, kLeastSlope);
        if (!line.has_slope) line.slope = 0;
    }
    fit_offset(points, line);
    return line;
}

}  // namespace lanescope
