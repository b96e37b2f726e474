// The menu behind "View" in the top bar.
#include <algorithm>

#include "ui/shell/app.h"

namespace lanescope {

void App::draw_view_menu() {
    const ImVec2 below = {ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + look_.px(4)};
    const float width = ImGui::GetMainViewport()->Size.x;
    // The right edge stays inside a narrow window.
    ImGui::SetNextWindowPos({std::min(below.x, width - look_.px(260)), below.y});
    ImGui::SetNextWindowSizeConstraints({look_.px(248), 0}, {look_.px(400), 1e6f});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {look_.px(8), look_.px(8)});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look_.px(8), look_.px(10)});
    if (ImGui::BeginPopup("view")) {
        const auto item = [this](const char* name, const char* key, bool on, Action action) {
            if (ImGui::MenuItem(name, key, on)) requests_.act(action);
        };
        item("Tables below", "Q", settings_.tables_shown, Action::tables);
        item("Statistics of the selection", "H", false, Action::statistics);
        item("Next idle gap", "G", false, Action::next_gap);
        item("Legend", "L", legend_shown_, Action::legend);
        item("Light theme", "T", look_.theme == Theme::light, Action::theme);
        ImGui::Separator();
        item("Larger interface", "Ctrl + +", false, Action::larger);
        item("Smaller interface", "Ctrl + -", false, Action::smaller);
        ImGui::Separator();
        if (ImGui::MenuItem("Reset layout")) requests_.reset_layout = true;
        ImGui::EndPopup();
    }
    ImGui::PopStyleVar(2);
}

}  // namespace lanescope
