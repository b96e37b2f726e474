// Layouts as Dear ImGui docks them.
#pragma once

#include <imgui.h>

#include <span>
#include <string_view>

#include "ui/shell/layout.h"

namespace lanescope {

// Docks the panels as the layout says, in a dock space of `size` pixels.
void dock_panels(ImGuiID dockspace, const PanelLayout& layout, ImVec2 size, float scale);

// For ImGui::SetNextWindowClass(): the timeline has its part of the dock space to itself.
ImGuiWindowClass timeline_window_class();

// Where the panels stand now; call it when all of them were drawn in the last frame.
PanelLayout docked_panels(ImGuiID dockspace, std::span<const std::string_view> panels, float scale);

}  // namespace lanescope
