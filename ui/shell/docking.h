// Layouts as Dear ImGui docks them.
#pragma once

#include <imgui.h>

#include <span>
#include <string_view>
#include <vector>

#include "ui/shell/layout.h"

namespace lanescope {

// Docks the panels as the layout says, in a dock space of `size` pixels.
void dock_panels(ImGuiID dockspace, const PanelLayout& layout, ImVec2 size, float scale);

// For ImGui::SetNextWindowClass(): the timeline has its part of the dock space to itself.
ImGuiWindowClass timeline_window_class();

// Where the panels stand now; call it when all of them were drawn in the last frame.
PanelLayout docked_panels(ImGuiID dockspace, std::span<const std::string_view> panels, float scale);

// What stands between two parts of the dock space, and can be moved.
struct PanelBorder {
    ImGuiID split = 0;     // of Dear ImGui
    bool upright = false;  // moved to the left and right
    ImVec2 from, to;       // its middle, on the screen
};
// Those in view, of a split before those of its parts.
std::vector<PanelBorder> panel_borders(ImGuiID dockspace);
// By so many pixels to the right, or down; both sides keep a least extent. Before the dock space is
// drawn.
void move_border(ImGuiID split, float by);

}  // namespace lanescope
