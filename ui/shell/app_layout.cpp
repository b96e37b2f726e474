// Where the panels stand: restored at the start, kept when the user moves them, and reset.
#include <imgui_internal.h>

#include <algorithm>
#include <utility>

#include "ui/shell/app.h"
#include "ui/shell/docking.h"
#include "ui/shell/layout_file.h"

namespace lanescope {

namespace {

constexpr float kNarrow = 1280;  // a window below this has the selection at the bottom
constexpr int kFramesToDock = 3;

Box tab_of(const ImGuiWindow& window) {
    if (!window.DockIsActive || !window.DockNode || !window.DockNode->TabBar) return {};
    const ImGuiTabBar& bar = *window.DockNode->TabBar;
    for (const ImGuiTabItem& tab : bar.Tabs) {
        if (tab.ID != window.TabId) continue;
        const float x = bar.BarRect.Min.x + tab.Offset - bar.ScrollingAnim;
        return {x, bar.BarRect.Min.y, x + tab.Width, bar.BarRect.Max.y};
    }
    return {};
}

}  // namespace

void App::restore_layout() {
    LoadedLayout loaded = load_layout(options_.layout_path, panel_names());
    layout_ = std::move(loaded.layout);
    greeting_ = options_.greeting;
    if (!greeting_.empty() && !loaded.message.empty()) greeting_ += " ";
    greeting_ += loaded.message;
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
    PanelLayout now = docked_panels(dockspace, panel_names(), look_.scale);
    roofline_room_.leave_out(now);
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
    ImGui::SetWindowFocus(nullptr);  // a panel that had it would come to the front of its tabs
    if (!options_.layout_path.empty()) remove_layout(options_.layout_path);
    pacing_.wake();
}

// The lanes' heads have a border too, beside those between panels.
void App::follow_borders(unsigned dockspace) {
    std::vector<PanelBorder> borders = panel_borders(dockspace);
    const TimelineAreas& areas = timeline_.areas;
    if (timeline_.index)
        borders.push_back(
            {0, true, {areas.heads.x1, areas.ruler.y0}, {areas.heads.x1, areas.heads.y1}});
    const auto move = border_keys_.draw(borders, look_);
    if (!move) return;
    pacing_.wake();
    if (const PanelBorder& moved = borders[move->border]; moved.split != 0)
        move_border(moved.split, move->by);
    else
        resize_heads(timeline_, move->by / look_.scale);
}

bool App::act_on_columns(Action action) {
    if (action < Action::columns_menu || action > Action::column_sort) return false;
    // Of the panel that has the keys; else of the first that has a table.
    std::vector<std::string> panels = panels_in_front();
    if (panel_keys_.on()) panels.insert(panels.begin(), panel_keys_.panel());
    const auto panel = std::ranges::find_if(panels, ColumnKeys::has_table);
    if (panel == panels.end())
        notify("No table is in front: " + keys_of(keys_, Action::tables) +
                   " shows those below, and “Panel: …” of the palette any of them.",
               now_);
    else
        column_keys_.act(action, *panel);
    return true;
}

std::vector<std::string> App::panels_in_front() const {
    std::vector<std::string> names;
    if (legend_.shown) names.emplace_back(Legend::kWindow);
    for (const PanelPlace& panel : panel_places())
        if (panel.in_front && panel.name != kTimelinePanel) names.push_back(panel.name);
    return names;
}

std::vector<PanelPlace> App::panel_places() const {
    std::vector<PanelPlace> places;
    for (const std::string_view panel : panel_names()) {
        const ImGuiWindow* window = ImGui::FindWindowByName(panel.data());
        if (!window || !window->WasActive) continue;
        const ImVec2 end{window->Pos.x + window->Size.x, window->Pos.y + window->Size.y};
        const Box tab = tab_of(*window);
        const auto shown = std::find_if(table_panels_.begin(), table_panels_.end(),
                                        [&](const TablePanel& p) { return p.title() == panel; });
        const TablePanel* table = shown == table_panels_.end() ? nullptr : &*shown;
        if (panel == kFindPanel) table = &find_panel_;
        if (panel == kWhatIfPanel) table = &what_if_panel_;
        places.push_back({std::string(panel),
                          {window->Pos.x, window->Pos.y, end.x, end.y},
                          window->DockIsActive,
                          !window->DockIsActive || window->DockTabIsVisible,
                          tab,
                          window->DockStyle.Colors[ImGuiWindowDockStyleCol_Text] == look_.colors.hi,
                          table});
    }
    return places;
}

}  // namespace lanescope
