#include "core/view/palette.h"

namespace lanescope {

namespace {

// A slice that covers little of its pixel is still visible: a single short slice deserves
// attention.
constexpr double kFaintest = 0.35;

Color fill_of(Theme theme, ClassColor color) {
    switch (color.scale) {
        case ColorScale::plain:
            return theme_colors(theme).plain;
        case ColorScale::event_class:
            return slice_fill(theme, static_cast<EventClass>(color.step));
        case ColorScale::hue:
            return hue_fill(theme, color.step);
        case ColorScale::sequence:
            return sequence_fill(theme, color.step);
        case ColorScale::amount:
            return amount_fill(theme, color.step);
        case ColorScale::deviation:
            return deviation_fill(theme, color.step);
        case ColorScale::heat:
            return heat_fill(theme, color.step);
    }
    return theme_colors(theme).plain;
}

}  // namespace

SlotLook look_of(Theme theme, ClassColor color) {
    const ThemeColors& colors = theme_colors(theme);
    const Color fill = fill_of(theme, color);
    const bool dark = theme == Theme::dark;
    // Fills with better contrast to the darker text use that text.
    const bool inverse = contrast(colors.on_slice, fill) < contrast(colors.on_memory, fill);
    return {fill, dark ? fill : with_contrast(fill, colors.bg, 3),
            inverse ? colors.on_memory : colors.on_slice, with_contrast(fill, colors.bg, 3, dark)};
}

Palette build_palette(Theme theme, std::span<const SliceClass> classes) {
    Palette palette;
    palette.theme = theme;
    for (const SliceClass& one : classes) palette.looks.push_back(look_of(theme, one.color));
    const Color bg = theme_colors(theme).bg;
    for (const SlotLook& look : palette.looks) {
        auto& shades = palette.shades.emplace_back();
        for (std::size_t cover = 0; cover < shades.size(); ++cover) {
            const double part = kFaintest + (1 - kFaintest) * static_cast<double>(cover) / 255;
            shades[cover] = mixed(bg, look.fill, part).packed();
        }
    }
    return palette;
}

}  // namespace lanescope
