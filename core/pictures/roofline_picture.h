// Common parts of roofline pictures: the visible range, sizes, colours and words.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/analysis/work/roofline_points.h"
#include "core/view/color.h"

namespace lanescope {

// Both axes are logarithmic; all values are above 0.
struct RooflineFrame {
    double intensity_min = 0.01, intensity_max = 1e4;  // operations a byte
    double rate_min = 1e9, rate_max = 1e15;            // operations a second
};
// Includes all points, roofs and ridges.
RooflineFrame fit_roofline(const RooflinePoints& points);

// The radius of a point in design pixels: its area is proportional to its share of all points'
// time.
double roofline_radius(Nanos time, Nanos of_all);
Nanos time_of_points(const RooflinePoints& points);

// A roof from the left to the right edge of the frame: two or three points.
struct RooflineCorner {
    double intensity = 0, rate = 0;
};
std::vector<RooflineCorner> roof_line(const RooflinePoints& points, const Roof& roof,
                                      const RooflineFrame& frame);

// The tops of the roofs' labels, each `height` high, given their lines' positions at the right edge
// from top to bottom. A label is directly above its line or, if the edge `top`, a line or the
// previous label leaves no space there, as closely below as possible.
std::vector<double> label_tops(std::span<const double> lines, double top, double height);

// The class whose colour represents a bound, as in the colour mode "bound".
EventClass class_of_bound(WorkBound bound);

// "bf16 tensor 989 TFLOP/s"; followed by ? if no source confirmed the figure. With several devices
// also the device's name.
std::string roof_label(const RooflinePoints& points, const Roof& roof);
// "3.35 TB/s".
std::string slope_label(const RooflineDevice& device);

}  // namespace lanescope
