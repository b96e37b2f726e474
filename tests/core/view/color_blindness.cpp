#include "tests/core/view/color_blindness.h"

#include <algorithm>
#include <cmath>

namespace lanescope {

namespace {

using Vector = std::array<double, 3>;

double linear(uint8_t channel) {
    const double c = channel / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

Vector seen(const Sight& sight, Color c) {
    const Vector rgb = {linear(c.r), linear(c.g), linear(c.b)};
    Vector result{};
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) result[i] += sight.matrix[i][j] * rgb[j];
        result[i] = std::clamp(result[i], 0.0, 1.0);
    }
    return result;
}

// B. Ottosson, "A perceptual color space for image processing", 2020.
Vector oklab(const Vector& rgb) {
    const auto [r, g, b] = rgb;
    const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
            1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
            0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

}  // namespace

double distance_seen(const Sight& sight, Color a, Color b) {
    const Vector one = oklab(seen(sight, a));
    const Vector other = oklab(seen(sight, b));
    return std::hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
}

double min_distance(Color a, Color b) {
    double lowest = 1;
    for (const Sight& sight : kSights) lowest = std::min(lowest, distance_seen(sight, a, b));
    return lowest;
}

}  // namespace lanescope
