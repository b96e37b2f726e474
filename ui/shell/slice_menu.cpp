// The menu of a slice that was clicked with the right button.
#include <string>

#include "ui/shell/app.h"

namespace lanescope {

void App::draw_slice_menu() {
    if (requests_.slice_menu) ImGui::OpenPopup("slice menu");
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {look_.px(8), look_.px(8)});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look_.px(8), look_.px(8)});
    if (ImGui::BeginPopup("slice menu")) {
        const auto item = [this](const char* title, Action action) {
            if (ImGui::MenuItem(title, keys_of(keys_, action).c_str())) requests_.act(action);
        };
        item("Frame it", Action::frame);
        item("Mark its time", Action::range_of_selection);
        item("All like it", Action::all_alike);
        item("Statistics", Action::statistics);
        item("What if it took less", Action::what_if);
        ImGui::Separator();
        item("Parent", Action::parent);
        item("First child", Action::child);
        item("Along the flow", Action::flow_forward);
        item("Back along the flow", Action::flow_back);
        ImGui::Separator();
        if (ImGui::MenuItem("Copy name", nullptr, false, static_cast<bool>(timeline_.selected)))
            ImGui::SetClipboardText(
                std::string(timeline_.trace().name(timeline_.selected)).c_str());
        ImGui::EndPopup();
    }
    ImGui::PopStyleVar(2);
}

}  // namespace lanescope
