// The menu behind "Menu" in the top bar: every command with its key, by group, and the panels.
#include <imgui_internal.h>

#include <algorithm>
#include <filesystem>

#include "ui/app/app.h"
#include "ui/commands/panel_names.h"

namespace lanescope {

bool App::is_on(Action action) const {
    switch (action) {
        case Action::tables:
            return settings_.tables_shown;
        case Action::legend:
            return legend_.shown;
        case Action::hide_classes:
            return timeline_.classes.hides;
        case Action::idle:
            return timeline_.idle_shown;
        case Action::flows:
            return timeline_.flows_shown;
        case Action::critical_path:
            return timeline_.path_shown;
        case Action::theme:
            return look_.theme == Theme::light;
        case Action::short_slices:
            return timeline_.arrangement.filter.hide_short;
        case Action::group_by_stream:
            return timeline_.arrangement.grouping == LaneGrouping::stream;
        case Action::desktop_theme:
            return settings_.theme == ThemeChoice::desktop;
        case Action::wheel_zoom:
            return settings_.wheel_zoom_reversed;
        case Action::wheel_pan:
            return settings_.wheel_pan_reversed;
        case Action::follow_end:
            return live_.on && live_.follows;
        case Action::pause_recording:
            return live_.status && live_.status->control == kSpoolPaused;
        case Action::help:
            return help_.shown();
        default:
            return false;
    }
}

void App::draw_group_menu(std::string_view group) {
    if (!ImGui::BeginMenu(group.data())) return;
    for (const Command& command : commands()) {
        if (command.group != group) continue;
        const std::string keys = keys_of(keys_, command.action);
        if (ImGui::MenuItem(command.title, keys.c_str(), is_on(command.action)))
            requests_.act(command.action);
    }
    if (group == "File" && !settings_.recent_files.empty()) {
        ImGui::Separator();
        for (const std::string& path : settings_.recent_files) {
            const std::string name = std::filesystem::path(path).filename().string();
            if (ImGui::MenuItem((name + "##" + path).c_str())) requests_.open = path;
            ImGui::SetItemTooltip("%s", path.c_str());
        }
    }
    if (group == "Panels") {
        ImGui::Separator();
        for (const std::string_view name : panel_names())
            if (ImGui::MenuItem(name.data())) show_panel(name);
    }
    ImGui::EndMenu();
}

void App::draw_menu() {
    const ImVec2 below = {ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + look_.px(4)};
    const float width = ImGui::GetMainViewport()->Size.x;
    if (std::exchange(menu_wanted_, false)) ImGui::OpenPopup("menu");
    // The right edge stays inside a narrow window.
    ImGui::SetNextWindowPos({std::min(below.x, width - look_.px(172)), below.y});
    ImGui::SetNextWindowSizeConstraints({look_.px(160), 0}, {look_.px(400), 1e6f});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {look_.px(8), look_.px(8)});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look_.px(8), look_.px(10)});
    menu_shown_ = ImGui::BeginPopup("menu");
    if (menu_shown_) {
        for (const std::string_view group : command_groups()) draw_group_menu(group);
        draw_colors_menu();
        ImGui::EndPopup();
    }
    ImGui::PopStyleVar(2);
    ImGuiIO& io = ImGui::GetIO();
    io.ConfigFlags &= ~ImGuiConfigFlags_NavEnableKeyboard;
    if (menu_shown_ || panel_keys_.on() || file_dialog_.shown() || picture_dialog_.shown() ||
        has_screen())
        io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
}

// The arrow keys move in an open menu or list, otherwise on the timeline.
void App::keep_keys_inside(bool shown) {
    if (!shown) return;
    menu_shown_ = true;
    ImGui::GetIO().ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
}

// Without a timeline the arrow keys move between the buttons shown instead.
void App::keep_keys_on_screen() {
    const bool here =
        has_screen() && !options_.still && !dialog_shown() && !menu_shown_ && !palette_.shown();
    const std::optional<bool> screen = here ? std::optional(error_.has_value()) : std::nullopt;
    const ImGuiContext& context = *ImGui::GetCurrentContext();
    ImGuiWindow* const window = ImGui::FindWindowByName(kTimelinePanel.data());
    if (screen == screen_has_keys_ && (!screen || context.NavWindow == window)) return;
    if (!screen) {
        ImGui::SetNavCursorVisible(false);
        screen_has_keys_.reset();
    } else if (window && context.ActiveId == 0) {
        PanelKeys::give_to(*window);
        screen_has_keys_ = screen;
    }
}

}  // namespace lanescope
