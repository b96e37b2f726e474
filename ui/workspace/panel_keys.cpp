#include "ui/workspace/panel_keys.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>

namespace lanescope {

namespace {

// The rows of a panel's table, if it has one; else the panel itself.
ImGuiWindow* part_to_begin_with(ImGuiWindow& panel) {
    for (ImGuiWindow* const child : panel.DC.ChildWindows)
        if (child->WasActive && !child->Hidden) return child;
    return &panel;
}

}  // namespace

void PanelKeys::next(std::span<const std::string> in_front) {
    const auto at = std::ranges::find(in_front, panel_);
    const auto then = at == in_front.end() ? in_front.begin() : at + 1;
    if (then == in_front.end()) {
        leave();
        return;
    }
    panel_ = *then;
    focus_wanted_ = true;
}

void PanelKeys::leave() {
    if (!on()) return;
    panel_.clear();
    focus_wanted_ = false;
    ImGui::SetNavCursorVisible(false);
    ImGui::ClearActiveID();
}

bool PanelKeys::takes(ImGuiKeyChord pressed) {
    constexpr std::array kKeys = {ImGuiKey_UpArrow,    ImGuiKey_DownArrow, ImGuiKey_LeftArrow,
                                  ImGuiKey_RightArrow, ImGuiKey_Enter,     ImGuiKey_KeypadEnter,
                                  ImGuiKey_Space,      ImGuiKey_Tab,       ImGuiKey_Home,
                                  ImGuiKey_End,        ImGuiKey_PageUp,    ImGuiKey_PageDown};
    if ((pressed & (ImGuiMod_Ctrl | ImGuiMod_Alt | ImGuiMod_Super)) != 0) return false;
    return std::ranges::find(kKeys, static_cast<ImGuiKey>(pressed & ~ImGuiMod_Mask_)) !=
           kKeys.end();
}

void PanelKeys::escape() {
    if (!inside_ && !was_inside_) leave();
}

void PanelKeys::follow() {
    if (!on()) return;
    ImGuiWindow* const window = ImGui::FindWindowByName(panel_.c_str());
    const bool gone = !window || !window->WasActive;
    if (gone || ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
        leave();
        return;
    }
    was_inside_ = inside_;
    const ImGuiContext& context = *ImGui::GetCurrentContext();
    inside_ = context.ActiveId != 0 || (context.NavWindow && context.NavWindow != window &&
                                        context.NavWindow->RootWindow == window);
    if (!focus_wanted_) return;
    focus_wanted_ = false;
    give_to(*part_to_begin_with(*window));
}

void PanelKeys::give_to(ImGuiWindow& window) {
    ImGui::FocusWindow(&window);
    ImGui::NavInitWindow(&window, true);
    ImGui::SetNavCursorVisible(true);
}

}  // namespace lanescope
