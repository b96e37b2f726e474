// The menu of a slice that was clicked with the right button.
#include <string>
#include <utility>

#include "ui/timeline/timeline.h"

namespace lanescope {

void TimelineView::draw_slice_menu(Timeline& timeline, const Look& look, Requests& requests) {
    if (std::exchange(slice_menu_, false)) ImGui::OpenPopup("slice menu");
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {look.px(8), look.px(8)});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(8), look.px(8)});
    if (ImGui::BeginPopup("slice menu")) {
        const SliceRef slice = timeline.selected;
        if (!slice) ImGui::CloseCurrentPopup();
        if (slice) {
            const auto item = [&](const char* name, const char* key, Action action) {
                if (ImGui::MenuItem(name, key)) requests.act(action);
            };
            item("Frame it", "F", Action::frame);
            item("Mark its time", "R", Action::range_of_selection);
            item("All like it", "Ctrl + Shift + A", Action::all_alike);
            item("Statistics", "H", Action::statistics);
            ImGui::Separator();
            item("Parent", "↑", Action::parent);
            item("First child", "↓", Action::child);
            item("Along the flow", "]", Action::flow_forward);
            item("Back along the flow", "[", Action::flow_back);
            ImGui::Separator();
            if (ImGui::MenuItem("Copy name"))
                ImGui::SetClipboardText(std::string(timeline.trace().name(slice)).c_str());
        }
        ImGui::EndPopup();
    }
    ImGui::PopStyleVar(2);
}

}  // namespace lanescope
