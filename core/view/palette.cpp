#include "core/view/palette.h"

namespace lanescope {

namespace {

// What hardly covers its pixel still shows: a lone short slice is worth a look.
constexpr double kFaintest = 0.35;

SlotLook look_of_class(Theme theme, EventClass c) {
    return {slice_fill(theme, c), slice_edge(theme, c), slice_text(theme, c)};
}

SlotLook look_of_hue(Theme theme, int hue) {
    const ThemeColors& colors = theme_colors(theme);
    const Color fill = hue_fill(theme, hue);
    return {fill, theme == Theme::dark ? fill : with_contrast(fill, colors.bg, 3), colors.on_slice};
}

}  // namespace

Palette build_palette(Theme theme, ColorMode mode) {
    Palette palette;
    palette.theme = theme;
    palette.mode = mode;
    if (mode == ColorMode::category) {
        for (int c = 0; c < kEventClassCount; ++c)
            palette.looks.push_back(look_of_class(theme, static_cast<EventClass>(c)));
    } else {
        for (int hue = 0; hue < kHues; ++hue) palette.looks.push_back(look_of_hue(theme, hue));
    }
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
