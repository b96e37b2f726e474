// Where the panels stand: restored at the start, kept when the user moves them, and reset.
#include <imgui_internal.h>

#include <array>
#include <utility>

#include "ui/shell/app.h"
#include "ui/shell/docking.h"
#include "ui/shell/layout_file.h"

namespace lanescope {

namespace {

constexpr std::array<std::string_view, 4> kPanels = {kTimelinePanel, "Selection", "Lanes",
                                                     "Warnings"};
constexpr float kNarrow = 1280;  // a window below this has the selection at the bottom
constexpr int kFramesToDock = 3;

}  // namespace

void App::restore_layout() {
    LoadedLayout loaded = load_layout(options_.layout_path, kPanels);
    layout_ = std::move(loaded.layout);
    greeting_ = std::move(loaded.message);
    if (!loaded.may_save) options_.layout_path.clear();
}

void App::lay_out(unsigned dockspace, ImVec2 room) {
    const bool narrow = room.x < kNarrow * look_.scale;
    const bool other = !layout_ && narrow != narrow_layout_;
    layout_room_ = room;
    if (!layout_wanted_ && !other && ImGui::DockBuilderGetNode(dockspace)) return;
    layout_wanted_ = false;
    narrow_layout_ = narrow;
    frames_with_panels_ = 0;
    dock_panels(dockspace, layout_ ? *layout_ : default_layout(narrow, room.y / look_.scale), room,
                look_.scale);
}

void App::keep_layout(unsigned dockspace) {
    const bool all_drawn = document_ && settings_.tables_shown;
    frames_with_panels_ = all_drawn ? frames_with_panels_ + 1 : 0;
    ImGuiContext& context = *ImGui::GetCurrentContext();
    const bool changed = context.SettingsDirtyTimer > 0 || context.IO.WantSaveIniSettings;
    if (!changed || frames_with_panels_ < kFramesToDock || ImGui::IsAnyMouseDown()) return;
    context.SettingsDirtyTimer = 0;
    context.IO.WantSaveIniSettings = false;
    PanelLayout now = docked_panels(dockspace, kPanels, look_.scale);
    const PanelLayout at_first = default_layout(narrow_layout_, layout_room_.y / look_.scale);
    if (same_layout(now, layout_ ? *layout_ : at_first)) return;
    if (same_layout(now, at_first)) {
        layout_.reset();
        if (!options_.layout_path.empty()) remove_layout(options_.layout_path);
        return;
    }
    layout_ = std::move(now);
    if (options_.layout_path.empty()) return;
    if (const auto saved = save_layout(*layout_, options_.layout_path); !saved)
        notify("The layout is not saved: " + saved.error().text, now_);
}

void App::reset_layout() {
    layout_.reset();
    layout_wanted_ = true;
    settings_.tables_shown = true;
    if (!options_.layout_path.empty()) remove_layout(options_.layout_path);
    pacing_.wake();
}

std::vector<PanelPlace> App::panel_places() const {
    std::vector<PanelPlace> places;
    for (const std::string_view panel : kPanels) {
        const ImGuiWindow* window = ImGui::FindWindowByName(panel.data());
        if (!window || !window->WasActive) continue;
        const ImVec2 end{window->Pos.x + window->Size.x, window->Pos.y + window->Size.y};
        places.push_back({std::string(panel),
                          {window->Pos.x, window->Pos.y, end.x, end.y},
                          window->DockIsActive,
                          !window->DockIsActive || window->DockTabIsVisible});
    }
    return places;
}

}  // namespace lanescope
