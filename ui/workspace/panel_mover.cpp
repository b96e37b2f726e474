#include "ui/workspace/panel_mover.h"

#include <imgui_internal.h>

#include <algorithm>
#include <utility>

#include "ui/commands/panel_names.h"
#include "ui/look/key_hint.h"

namespace lanescope {

namespace {

constexpr float kPanelLine = 2;  // line width of the frame around the chosen panel

std::optional<Side> side_of(ImGuiKey key) {
    switch (key) {
        case ImGuiKey_LeftArrow:
            return Side::left;
        case ImGuiKey_RightArrow:
            return Side::right;
        case ImGuiKey_UpArrow:
            return Side::up;
        case ImGuiKey_DownArrow:
            return Side::down;
        default:
            return std::nullopt;
    }
}

}  // namespace

void PanelMover::next(std::span<const std::string> in_front) {
    steps_.clear();
    const auto at = std::ranges::find(in_front, panel_);
    const auto then = at == in_front.end() || at + 1 == in_front.end() ? in_front.begin() : at + 1;
    panel_ = in_front.empty() ? "" : *then;
}

void PanelMover::leave() {
    panel_.clear();
    steps_.clear();
}

bool PanelMover::take(ImGuiKeyChord pressed) {
    if (!on() || (pressed & (ImGuiMod_Ctrl | ImGuiMod_Alt | ImGuiMod_Super)) != 0) return false;
    const auto key = static_cast<ImGuiKey>(pressed & ~ImGuiMod_Mask_);
    if (key == ImGuiKey_Enter || key == ImGuiKey_KeypadEnter || key == ImGuiKey_Escape) {
        leave();
        return true;
    }
    const std::optional<Side> side = side_of(key);
    if (!side && key != ImGuiKey_Space) return false;
    steps_.push_back({side, (pressed & ImGuiMod_Shift) != 0});
    return true;
}

std::optional<PanelMover::Step> PanelMover::draw(bool ready, const Look& look) {
    if (!on()) return std::nullopt;
    const ImGuiWindow* const window = ImGui::FindWindowByName(panel_.c_str());
    if (!window || !window->WasActive || ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
        leave();
        return std::nullopt;
    }
    const ImVec2 from = window->Pos;
    const ImVec2 to{from.x + window->Size.x, from.y + window->Size.y};
    ImGui::GetForegroundDrawList(ImGui::GetMainViewport())
        ->AddRect(from, to, look.colors.accent, 0, look.px(kPanelLine));
    const char* const keys =
        window->DockIsActive
            ? ": ← → ↑ ↓ dock on another side, with Shift beside its tabs · Space: make it a window"
            : ": ← → ↑ ↓ move it, with Shift resize it · Space: dock it again";
    draw_key_hint(std::string(window_title(panel_)) + keys + " · Tab: next panel · Enter: done",
                  {(from.x + to.x) / 2, (from.y + to.y) / 2}, look);
    if (!ready || steps_.empty()) return std::nullopt;
    const Step step = steps_.front();
    steps_.erase(steps_.begin());
    return step;
}

}  // namespace lanescope
