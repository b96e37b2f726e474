#include "core/view/color.h"

#include <doctest/doctest.h>

#include "core/view/palette.h"

using namespace lanescope;

namespace {

constexpr Theme kBothThemes[] = {Theme::dark, Theme::light};

}  // namespace

TEST_CASE("contrast is computed by WCAG's formula") {
    CHECK(contrast(rgb(0x000000), rgb(0xFFFFFF)) == doctest::Approx(21));
    CHECK(contrast(rgb(0xFFFFFF), rgb(0xFFFFFF)) == doctest::Approx(1));
    CHECK(contrast(rgb(0x777777), rgb(0xFFFFFF)) == doctest::Approx(4.48).epsilon(0.001));
    CHECK(luminance(rgb(0xFF0000)) == doctest::Approx(0.2126));
    CHECK(contrast(with_contrast(rgb(0xF2D199), rgb(0xFFFFFF), 3), rgb(0xFFFFFF)) >= 3);
    CHECK(with_contrast(rgb(0x000000), rgb(0xFFFFFF), 3) == rgb(0x000000));
}

TEST_CASE("packed colours are RGBA bytes") {
    CHECK(rgb(0x123456).packed() == 0xFF563412);
    CHECK(with_alpha(rgb(0x123456), 0.5).packed() == 0x80563412);
    CHECK(mixed(rgb(0x000000), rgb(0xFF8000), 0.5) == rgb(0x804000));
}

TEST_CASE("text is readable on its background") {
    for (const Theme theme : kBothThemes) {
        CAPTURE(static_cast<int>(theme));
        const ThemeColors& c = theme_colors(theme);
        for (const Color ground : {c.bg, c.panel, c.raised}) {
            for (const Color text : {c.hi, c.mid, c.low, c.accent, c.waiting, c.costs, c.fine}) {
                CAPTURE(text.packed());
                CAPTURE(ground.packed());
                CHECK(contrast(text, ground) >= 4.5);
            }
        }
        // The length of a gap is written on its tint.
        CHECK(contrast(c.waiting, mixed(c.bg, c.waiting, 0.1)) >= 4.5);
        for (int i = 0; i < kEventClassCount; ++i) {
            CAPTURE(i);
            const auto event = static_cast<EventClass>(i);
            CHECK(contrast(slice_text(theme, event), slice_fill(theme, event)) >= 4.5);
        }
    }
}

TEST_CASE("marks without a label have enough contrast with the background") {
    for (const Theme theme : kBothThemes) {
        CAPTURE(static_cast<int>(theme));
        const ThemeColors& c = theme_colors(theme);
        for (const Color ground : {c.bg, c.panel}) {
            for (const Color mark : {c.accent, c.waiting, c.costs, c.fine})
                CHECK(contrast(mark, ground) >= 3);
        }
        for (int i = 0; i < kEventClassCount; ++i) {
            CAPTURE(i);
            CHECK(contrast(slice_mark(theme, static_cast<EventClass>(i)), c.bg) >= 3);
        }
    }
}

TEST_CASE("in light, slices have an edge of 3:1; in dark, no edge of another colour") {
    for (int i = 0; i < kEventClassCount; ++i) {
        const auto event = static_cast<EventClass>(i);
        CHECK(contrast(slice_edge(Theme::light, event), theme_colors(Theme::light).bg) >= 3);
        CHECK(slice_edge(Theme::dark, event) == slice_fill(Theme::dark, event));
    }
}

TEST_CASE("the hues of the mode 'name' have equal lightness and carry text") {
    for (const Theme theme : kBothThemes) {
        double lowest = 1;
        double highest = 0;
        for (int hue = 0; hue < kHues; ++hue) {
            CAPTURE(hue);
            const Color fill = hue_fill(theme, hue);
            CHECK(contrast(theme_colors(theme).on_slice, fill) >= 4.5);
            lowest = std::min(lowest, luminance(fill));
            highest = std::max(highest, luminance(fill));
            for (int other = 0; other < hue; ++other) CHECK(hue_fill(theme, other) != fill);
        }
        CHECK(highest / lowest < 1.25);
    }
}

TEST_CASE("a palette has a look for every slot, and shades up to its fill") {
    for (const Theme theme : kBothThemes) {
        const Palette palette = build_palette(theme);
        REQUIRE(palette.looks.size() == kEventClassCount);
        REQUIRE(palette.shades.size() == kEventClassCount);
        for (std::size_t slot = 0; slot < kEventClassCount; ++slot) {
            CHECK(palette.looks[slot].fill == slice_fill(theme, static_cast<EventClass>(slot)));
            CHECK(palette.shades[slot][255] == palette.looks[slot].fill.packed());
            CHECK(palette.shades[slot][0] != theme_colors(theme).bg.packed());
        }
    }
}
