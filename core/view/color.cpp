#include "core/view/color.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lanescope {

namespace {

constexpr ThemeColors kDark = {
    .bg = rgb(0x0E1116),
    .panel = rgb(0x151A21),
    .raised = rgb(0x1C222B),
    .line = rgb(0x262E39),
    .line2 = rgb(0x343E4C),
    .hi = rgb(0xE8ECF2),
    .mid = rgb(0xA9B4C2),
    .low = rgb(0x828F9E),
    .accent = rgb(0x5AA2FF),
    .python = rgb(0x384151),
    .module = rgb(0x3E506B),
    .annotation = rgb(0x216488),
    .op = rgb(0x177E6B),
    .runtime = rgb(0x6F5DB8),
    .kernel = rgb(0x2C6BC7),
    .memory = rgb(0xD79A3C),
    .communication = rgb(0xA2378C),
    .sync = rgb(0xB94840),
    .plain = rgb(0x2A323D),
    .other = rgb(0x535E66),
    .waiting = rgb(0xE0A03A),
    .costs = rgb(0xF0645C),
    .fine = rgb(0x45B880),
    .on_slice = rgb(0xF3F6FA),
    .on_memory = rgb(0x0E1116),
};

constexpr ThemeColors kLight = {
    .bg = rgb(0xFFFFFF),
    .panel = rgb(0xF6F7F9),
    .raised = rgb(0xFFFFFF),
    .line = rgb(0xE3E7EC),
    .line2 = rgb(0xCBD2DB),
    .hi = rgb(0x141A22),
    .mid = rgb(0x48525F),
    .low = rgb(0x66717D),
    .accent = rgb(0x1B66DB),
    .python = rgb(0xE2EBF4),
    .module = rgb(0xB4C2D3),
    .annotation = rgb(0xBBE0FA),
    .op = rgb(0xA1D5BF),
    .runtime = rgb(0xD0C3F3),
    .kernel = rgb(0x8FBDF7),
    .memory = rgb(0xF2D199),
    .communication = rgb(0xDAA2B5),
    .sync = rgb(0xF0A89F),
    .plain = rgb(0xECEFF3),
    .other = rgb(0xDCDCD9),
    .waiting = rgb(0x946109),
    .costs = rgb(0xC93C37),
    .fine = rgb(0x187A4B),
    .on_slice = rgb(0x141A22),
    .on_memory = rgb(0x141A22),
};

double to_linear(uint8_t channel) {
    const double c = channel / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

uint8_t from_linear(double c) {
    c = std::clamp(c, 0.0, 1.0);
    const double s = c <= 0.0031308 ? c * 12.92 : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
    return static_cast<uint8_t>(std::lround(s * 255));
}

// Hues in OKLCH, in degrees.
constexpr double kBlue = 255;
constexpr double kRed = 27;

// Converts from OKLCH, a space in which equal lightness looks equally light (B. Ottosson, "A
// perceptual color space for image processing", 2020).
Color from_oklch(double lightness, double chroma, double hue_degrees) {
    const double hue = hue_degrees * 3.14159265358979323846 / 180;
    const double a = chroma * std::cos(hue);
    const double b = chroma * std::sin(hue);
    const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    const double m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    const double s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    return {from_linear(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
            from_linear(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
            from_linear(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s), 255};
}

}  // namespace

Color mixed(Color a, Color b, double t) {
    const auto channel = [t](uint8_t x, uint8_t y) {
        return static_cast<uint8_t>(std::lround(x + (y - x) * t));
    };
    return {channel(a.r, b.r), channel(a.g, b.g), channel(a.b, b.b), 255};
}

const ThemeColors& theme_colors(Theme theme) {
    return theme == Theme::dark ? kDark : kLight;
}

double luminance(Color c) {
    return 0.2126 * to_linear(c.r) + 0.7152 * to_linear(c.g) + 0.0722 * to_linear(c.b);
}

double contrast(Color a, Color b) {
    const double first = luminance(a) + 0.05;
    const double second = luminance(b) + 0.05;
    return std::max(first, second) / std::min(first, second);
}

Color with_contrast(Color c, Color against, double ratio, bool lighter) {
    const Color end = lighter ? rgb(0xFFFFFF) : rgb(0x000000);
    for (int step = 0; step <= 100; ++step) {
        const Color candidate = mixed(c, end, step / 100.0);
        if (contrast(candidate, against) >= ratio) return candidate;
    }
    return end;
}

Color slice_fill(Theme theme, EventClass c) {
    const ThemeColors& colors = theme_colors(theme);
    switch (c) {
        case EventClass::python:
            return colors.python;
        case EventClass::module:
            return colors.module;
        case EventClass::annotation:
            return colors.annotation;
        case EventClass::op:
            return colors.op;
        case EventClass::runtime:
            return colors.runtime;
        case EventClass::kernel:
            return colors.kernel;
        case EventClass::memory:
            return colors.memory;
        case EventClass::communication:
            return colors.communication;
        case EventClass::sync:
            return colors.sync;
        case EventClass::overhead:
        case EventClass::other:
            break;
    }
    return colors.other;
}

Color slice_text(Theme theme, EventClass c) {
    const ThemeColors& colors = theme_colors(theme);
    return c == EventClass::memory ? colors.on_memory : colors.on_slice;
}

Color slice_edge(Theme theme, EventClass c) {
    const Color fill = slice_fill(theme, c);
    return theme == Theme::dark ? fill : with_contrast(fill, theme_colors(theme).bg, 3);
}

Color slice_mark(Theme theme, EventClass c) {
    return with_contrast(slice_fill(theme, c), theme_colors(theme).bg, 3, theme == Theme::dark);
}

Color hue_fill(Theme theme, int hue) {
    const double degrees = 360.0 * hue / kHues;
    return theme == Theme::dark ? from_oklch(0.53, 0.085, degrees)
                                : from_oklch(0.84, 0.075, degrees);
}

Color sequence_fill(Theme theme, int step) {
    constexpr std::array<double, kSequence> kDegrees = {250, 150, 310, 90, 200, 20};
    const double hue = kDegrees[static_cast<std::size_t>(step)];
    const bool odd = step % 2 == 1;
    return theme == Theme::dark ? from_oklch(odd ? 0.40 : 0.535, 0.085, hue)
                                : from_oklch(odd ? 0.79 : 0.90, 0.06, hue);
}

Color amount_fill(Theme theme, int step) {
    return theme == Theme::dark ? from_oklch(0.33 + 0.042 * step, 0.010 + 0.026 * step, kBlue)
                                : from_oklch(0.90 - 0.055 * step, 0.008 + 0.024 * step, kBlue);
}

Color heat_fill(Theme theme, int step) {
    return theme == Theme::dark ? from_oklch(0.38 + 0.056 * step, 0.008 + 0.032 * step, kRed)
                                : from_oklch(0.86 - 0.043 * step, 0.008 + 0.031 * step, kRed);
}

Color deviation_fill(Theme theme, int step) {
    const int from_middle = step - kDeviations / 2;
    const double away = std::abs(from_middle);
    const double hue = from_middle < 0 ? kBlue : kRed;
    return theme == Theme::dark ? from_oklch(0.35 + 0.06 * away, 0.010 + 0.037 * away, hue)
                                : from_oklch(0.91 - 0.058 * away, 0.005 + 0.040 * away, hue);
}

}  // namespace lanescope
