// Moves single panels, as plain data: a layout in, a layout out. Lengths are design pixels.
#pragma once

#include <string_view>

#include "ui/workspace/layout.h"

namespace lanescope {

enum class Side : uint8_t { left, right, up, down };

// The size of the dock space.
struct DockRoom {
    float width = 0, height = 0;
};

// Moves a panel to the nearest panels on that side, as a tab in front of them, skipping the
// timeline. If there are none, or if the panel floats, docks it along that edge of the whole area.
PanelLayout moved_to_side(PanelLayout layout, std::string_view panel, Side side, DockRoom room);

// Moves a panel out of its tabs into the half of their space on that side. Does nothing if it has
// the space to itself, or floats.
PanelLayout split_from_tabs(PanelLayout layout, std::string_view panel, Side side, DockRoom room);

// Moves a panel into a window of its own.
PanelLayout floated(PanelLayout layout, std::string_view panel, float x, float y, DockRoom size);

// Moves a floating panel to the default place of panels.
PanelLayout docked_again(PanelLayout layout, std::string_view panel);

}  // namespace lanescope
