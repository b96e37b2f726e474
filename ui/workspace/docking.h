// Applies layouts to Dear ImGui's dock space, and reads them from it.
#pragma once

#include <imgui.h>

#include <span>
#include <string_view>
#include <vector>

#include "ui/workspace/layout.h"

namespace lanescope {

// Docks the panels according to the layout, in a dock space of `size` pixels.
void dock_panels(ImGuiID dockspace, const PanelLayout& layout, ImVec2 size, float scale);

// For ImGui::SetNextWindowClass(): the timeline shares its part of the dock space with no other
// panel.
ImGuiWindowClass timeline_window_class();

// The present layout; valid if all panels were drawn in the last frame.
PanelLayout docked_panels(ImGuiID dockspace, std::span<const std::string_view> windows,
                          float scale);

// A movable border between two parts of the dock space.
struct PanelBorder {
    ImGuiID split = 0;     // of Dear ImGui
    bool upright = false;  // moved horizontally
    ImVec2 from, to;       // its middle, on the screen
};
// The visible borders; a split's border precedes those of its parts.
std::vector<PanelBorder> panel_borders(ImGuiID dockspace);
// Moves a border by pixels to the right, or down; both sides keep a minimum size. To be called
// before the dock space is drawn.
void move_border(ImGuiID split, float by);

}  // namespace lanescope
