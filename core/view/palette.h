// Palette: the finite set of looks that slices have in one theme and colour mode. Draw items name a
// look by its number (a slot), so that they stay small and painting looks nothing up by name.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/view/color.h"
#include "core/view/slice_classes.h"

namespace lanescope {

struct SlotLook {
    Color fill;
    Color edge;  // one pixel; equal to the fill where there is none
    Color text;
    Color mark;  // alone on the background, as a dot or wedge: at least 3:1 to it
};

struct Palette {
    Theme theme = Theme::dark;
    std::vector<SlotLook> looks;  // by slot
    // The fill over the background, by cover: packed, [slot][0 (hardly any) … 255 (full)].
    std::vector<std::array<uint32_t, 256>> shades;
};
// A look for each class.
Palette build_palette(Theme theme, std::span<const SliceClass> classes = category_classes());
SlotLook look_of(Theme theme, ClassColor color);

}  // namespace lanescope
