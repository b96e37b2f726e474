// Palette: the finite set of looks of slices in one theme and colour mode. Draw items refer to a
// look by its number (a slot), so that they are small and painting needs no lookup by name.
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
    Color edge;  // one pixel; equal to the fill if there is no edge
    Color text;
    Color mark;  // directly on the background, as a dot or wedge: contrast at least 3:1
};

struct Palette {
    Theme theme = Theme::dark;
    std::vector<SlotLook> looks;  // by slot
    // The fill over the background, by coverage: packed, [slot][0 (almost none) … 255 (full)].
    std::vector<std::array<uint32_t, 256>> shades;
};
// One look for each class.
Palette build_palette(Theme theme, std::span<const SliceClass> classes = category_classes());
SlotLook look_of(Theme theme, ClassColor color);

}  // namespace lanescope
