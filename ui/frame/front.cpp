#include "ui/frame/front.h"

#include <imgui_internal.h>

#include "ui/commands/panel_names.h"

namespace lanescope {

void Front::tell(Tell what) {
    if (what == Tell::nothing) return;
    const std::string_view wanted = what == Tell::range ? kRangePanel : kSelectionPanel;
    const std::string_view other = what == Tell::range ? kSelectionPanel : kRangePanel;
    const ImGuiWindow* const front = ImGui::FindWindowByName(other.data());
    const ImGuiWindow* const behind = ImGui::FindWindowByName(wanted.data());
    if (front && behind && front->DockNode && front->DockNode == behind->DockNode &&
        front->DockTabIsVisible)
        bring(wanted);
}

}  // namespace lanescope
