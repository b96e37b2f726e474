// What pictures of a roofline have in common: the part that is shown, sizes, colours and words.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/analysis/roofline_points.h"
#include "core/view/color.h"

namespace lanescope {

// Both axes are logarithmic; all above 0.
struct RooflineFrame {
    double intensity_min = 0.01, intensity_max = 1e4;  // operations a byte
    double rate_min = 1e9, rate_max = 1e15;            // operations a second
};
// With room for all points, roofs and the ridges.
RooflineFrame fit_roofline(const RooflinePoints& points);

// The radius of a point, in the design's pixels: its area is its part of the time of all points.
double roofline_radius(Nanos time, Nanos of_all);
Nanos time_of_points(const RooflinePoints& points);

// A roof from the left edge of the frame to its right: two or three points.
struct RooflineCorner {
    double intensity = 0, rate = 0;
};
std::vector<RooflineCorner> roof_line(const RooflinePoints& points, const Roof& roof,
                                      const RooflineFrame& frame);

// Tops of the roofs' labels, each `height` high, by the places of their lines at the right edge,
// from the top down: just above its line, or where the edge `top`, a line or the label before leave
// no room there, as close below as they leave some.
std::vector<double> label_tops(std::span<const double> lines, double top, double height);

// The class whose colour stands for a bound, as in the colour mode "bound".
EventClass class_of_bound(WorkBound bound);

// "bf16 tensor 989 TFLOP/s"; ? behind a figure that no source confirmed. With several devices the
// device's name too.
std::string roof_label(const RooflinePoints& points, const Roof& roof);
// "3.35 TB/s".
std::string slope_label(const RooflineDevice& device);

}  // namespace lanescope
