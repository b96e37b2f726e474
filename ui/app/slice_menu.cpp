// The menu of a slice: opened by a right click, or by a key while it is selected.
#include <algorithm>
#include <string>
#include <utility>

#include "core/view/short_name.h"
#include "ui/app/app.h"
#include "ui/look/floating.h"
#include "ui/timeline/lane_painter.h"

namespace lanescope {

// At the slice, if it is in view.
void App::ask_for_slice_menu() {
    if (!timeline_.index || !timeline_.selected) {
        notify("Select a slice first: the menu acts on the selection.", now_);
        return;
    }
    const SliceBox slice = slice_box(timeline_, timeline_.selected);
    const Box& lanes = timeline_.areas.lanes;
    slice_menu_at_ =
        ImVec2{std::clamp(slice.x0, lanes.x0, lanes.x1), std::clamp(slice.y1, lanes.y0, lanes.y1)};
}

void App::copy_name() {
    if (!timeline_.index || !timeline_.selected) {
        notify("Select a slice first: its name is copied.", now_);
        return;
    }
    const std::string name(timeline_.trace().name(timeline_.selected));
    ImGui::SetClipboardText(name.c_str());
    notify("Copied: " + brief_name(name), now_);
}

void App::draw_slice_menu() {
    if (requests_.slice_menu || slice_menu_at_)
        open_popup("slice menu", std::exchange(slice_menu_at_, std::nullopt));
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
        item("Copy name", Action::copy_name);
        ImGui::EndPopup();
    }
    ImGui::PopStyleVar(2);
}

}  // namespace lanescope
