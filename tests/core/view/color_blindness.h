// Simulates colour blindness, and measures how well colours can be distinguished.
#pragma once

#include <array>
#include <string_view>

#include "core/view/color.h"

namespace lanescope {

struct Sight {
    std::string_view name;
    std::array<std::array<double, 3>, 3> matrix;  // on linear sRGB
};

// Full dichromacy: G. M. Machado, M. M. Oliveira, L. A. F. Fernandes, "A Physiologically-based
// Model for Simulation of Color Vision Deficiency", IEEE TVCG 15 (6), 2009, table for severity 1.0.
inline constexpr std::array<Sight, 4> kSights = {{
    {"full", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
    {"protan",
     {{{0.152286, 1.052583, -0.204868},
       {0.114503, 0.786281, 0.099216},
       {-0.003882, -0.048116, 1.051998}}}},
    {"deutan",
     {{{0.367322, 0.860646, -0.227968},
       {0.280085, 0.672501, 0.047413},
       {-0.011820, 0.042940, 0.968881}}}},
    {"tritan",
     {{{1.255528, -0.076749, -0.178779},
       {-0.078411, 0.930809, 0.147602},
       {0.004733, 0.691367, 0.303900}}}},
}};

// The distance of two colours in OKLab, as seen with `sight`. The distance of white and black is 1.
double distance_seen(const Sight& sight, Color a, Color b);
// The smallest over all kinds of sight.
double min_distance(Color a, Color b);

}  // namespace lanescope
