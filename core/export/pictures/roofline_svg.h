// A roofline as SVG: vectors, and texts that can be selected.
#pragma once

#include <string>

#include "core/pictures/roofline_picture.h"

namespace lanescope {

struct RooflineSvgOptions {
    Theme theme = Theme::light;
    double width = 960;
    double height = 560;
    std::string title;
};

// Draws the visible part; each point has its name and figures as a title.
std::string roofline_svg(const Trace& trace, const RooflinePoints& points,
                         const RooflineFrame& frame, const RooflineSvgOptions& options);

// The description of a point: name, time and distance from its roof, one per line.
std::string roofline_point_text(const Trace& trace, const RooflinePoints& points,
                                const RooflinePoint& point);

}  // namespace lanescope
