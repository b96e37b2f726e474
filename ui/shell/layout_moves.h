// Moves of one panel, as plain data: a layout in, a layout out. Lengths are pixels of the design.
#pragma once

#include <string_view>

#include "ui/shell/layout.h"

namespace lanescope {

enum class Side : uint8_t { left, right, up, down };

// How large the dock space is.
struct DockRoom {
    float width = 0, height = 0;
};

// To the nearest panels at that side of it, as a tab in front of them; the timeline is passed by.
// Where there are none, along that edge of the whole. A panel that floats goes along the edge.
PanelLayout moved_to_side(PanelLayout layout, std::string_view panel, Side side, DockRoom room);

// Out of its tabs, into the half of their room that lies at that side. Unchanged where it has that
// room to itself already, or floats.
PanelLayout split_from_tabs(PanelLayout layout, std::string_view panel, Side side, DockRoom room);

// Into a window of its own.
PanelLayout floated(PanelLayout layout, std::string_view panel, float x, float y, DockRoom size);

// From a window of its own to where panels stand that have no place.
PanelLayout docked_again(PanelLayout layout, std::string_view panel);

}  // namespace lanescope
