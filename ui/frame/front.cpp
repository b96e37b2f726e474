#include "ui/frame/front.h"

#include <imgui_internal.h>

#include "ui/commands/panel_names.h"

namespace lanescope {

void Front::show_description_of(Described described) {
    const std::string_view wanted = described == Described::range ? kRangePanel : kSelectionPanel;
    const std::string_view other = described == Described::range ? kSelectionPanel : kRangePanel;
    const ImGuiWindow* const front = ImGui::FindWindowByName(other.data());
    const ImGuiWindow* const window = ImGui::FindWindowByName(wanted.data());
    if (front && window && front->DockNode && front->DockNode == window->DockNode &&
        front->DockTabIsVisible)
        bring(wanted);
}

}  // namespace lanescope
