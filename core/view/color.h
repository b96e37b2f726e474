// Colours: the tokens of both themes, the fills of slices, and contrast as defined by WCAG 2.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/trace/category.h"

namespace lanescope {

// sRGB with alpha, eight bits each.
struct Color {
    uint8_t r = 0;
    uint8_t g = 0;
    uint8_t b = 0;
    uint8_t a = 255;

    // 0xAABBGGRR, the layout of RGBA textures and of most drawing libraries.
    constexpr uint32_t packed() const {
        return static_cast<uint32_t>(a) << 24 | static_cast<uint32_t>(b) << 16 |
               static_cast<uint32_t>(g) << 8 | r;
    }
    friend constexpr bool operator==(const Color&, const Color&) = default;
};

// From 0xRRGGBB.
constexpr Color rgb(uint32_t hex) {
    return {static_cast<uint8_t>(hex >> 16), static_cast<uint8_t>(hex >> 8),
            static_cast<uint8_t>(hex), 255};
}
constexpr Color with_alpha(Color c, double alpha) {
    c.a = static_cast<uint8_t>(alpha * 255 + 0.5);  // NOLINT(bugprone-incorrect-roundings): not < 0
    return c;
}
// Mixes `t` parts of `b` into `a`, both opaque.
Color mixed(Color a, Color b, double t);

enum class Theme : uint8_t { dark, light };

struct ThemeColors {
    Color bg, panel, raised;  // timeline; heads and panels; buttons and status bar
    Color line, line2;        // separators, borders
    Color hi, mid, low;       // text
    Color accent;             // selection, links, active
    Color python, module, annotation, op, runtime, kernel, memory, communication, sync;  // slices
    Color plain;                // slices without a class in the colour mode
    Color other;                // slices of unknown kind, and the profiler's own
    Color waiting;              // dead windows, gaps caused by the host
    Color costs, fine;          // severity
    Color on_slice, on_memory;  // text on slices
};
const ThemeColors& theme_colors(Theme theme);

// Relative luminance of an opaque colour, from 0 (black) to 1 (white).
double luminance(Color c);
// Contrast ratio, 1 to 21.
double contrast(Color a, Color b);
// Darkens `c` (or lightens it, with `lighter`) until its contrast to `against` is at least `ratio`.
Color with_contrast(Color c, Color against, double ratio, bool lighter = false);

// The fill of a slice of a class.
Color slice_fill(Theme theme, EventClass c);
// The colour of text on that fill.
Color slice_text(Theme theme, EventClass c);
// The one-pixel edge: in the light theme, the fill darkened to a contrast of 3:1 to the background;
// in the dark theme, the fill.
Color slice_edge(Theme theme, EventClass c);
// For curves, dots and bars of a class directly on the background: contrast at least 3:1.
Color slice_mark(Theme theme, EventClass c);

// Twelve hues of equal lightness, for the colour mode "name".
inline constexpr int kHues = 12;
Color hue_fill(Theme theme, int hue);

// Scales of other colour modes. Consecutive entries, cyclically, differ in lightness, so that
// everyone can distinguish them.
inline constexpr int kSequence = 6;
Color sequence_fill(Theme theme, int step);
// From none to all: grey to blue.
inline constexpr int kAmounts = 6;
Color amount_fill(Theme theme, int step);
// From much less to much more: blue, grey in the middle, red.
inline constexpr int kDeviations = 7;
Color deviation_fill(Theme theme, int step);
// From nothing to most: grey to red.
inline constexpr int kHeats = 6;
Color heat_fill(Theme theme, int step);

}  // namespace lanescope
