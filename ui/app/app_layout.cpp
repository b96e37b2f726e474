// The positions of panels: restored at the start, saved when the user moves them, and reset.
#include <imgui_internal.h>

#include <algorithm>
#include <utility>

#include "ui/app/app.h"
#include "ui/workspace/docking.h"
#include "ui/workspace/layout_file.h"

namespace lanescope {

namespace {

constexpr float kNarrow = 1280;  // narrower windows have the selection at the bottom
constexpr int kFramesToDock = 3;
constexpr float kFloatingStep = 16;   // by one key
constexpr float kLeastOfRoom = 0.3f;  // minimum share of a panel that becomes a window
constexpr float kMostOfRoom = 0.7f;

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

// Moves its position, or its lower right corner.
void push_floating(ImGuiWindow& window, Side side, bool corner, const Look& look) {
    const float step = look.px(kFloatingStep);
    const ImVec2 by{side == Side::left    ? -step
                    : side == Side::right ? step
                                          : 0,
                    side == Side::up     ? -step
                    : side == Side::down ? step
                                         : 0};
    const ImVec2 screen = ImGui::GetMainViewport()->Size;
    if (corner) {
        const float least = 8 * step;
        ImGui::SetWindowSize(&window, {std::clamp(window.SizeFull.x + by.x, least, screen.x),
                                       std::clamp(window.SizeFull.y + by.y, least, screen.y)});
    } else {
        const ImVec2 most{std::max(0.0f, screen.x - window.SizeFull.x),
                          std::max(0.0f, screen.y - window.SizeFull.y)};
        ImGui::SetWindowPos(&window, {std::clamp(window.Pos.x + by.x, 0.0f, most.x),
                                      std::clamp(window.Pos.y + by.y, 0.0f, most.y)});
    }
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
    if (!layout_wanted_ && !moved_layout_ && !other && ImGui::DockBuilderGetNode(dockspace)) return;
    layout_wanted_ = false;
    narrow_layout_ = narrow;
    frames_with_panels_ = 0;
    const PanelLayout at_first = layout_ ? *layout_ : default_layout(narrow, room.y / look_.scale);
    dock_panels(dockspace, moved_layout_ ? *moved_layout_ : at_first, room, look_.scale);
    if (std::exchange(moved_layout_, std::nullopt)) ImGui::MarkIniSettingsDirty();
    roofline_room_ = PanelRoom(kRooflinePanel);  // the dock space has been rebuilt
}

// The layout without the app's own temporary changes for a trace.
PanelLayout App::chosen_layout(unsigned dockspace) const {
    PanelLayout layout = docked_panels(dockspace, panel_names(), look_.scale);
    roofline_room_.leave_out(layout);
    first_table_.leave_out(layout);
    return layout;
}

// Once the panels are docked, so that it is known which are in front.
void App::show_first_table() {
    first_table_.set_due(first_table_.is_due() && settings_.tables_shown);
    if (!first_table_.is_due()) return;
    pacing_.wake();
    if (frames_with_panels_ < kFramesToDock) return;
    if (const auto panel = first_table_.due_panel(*traces_.of, panels_in_front()))
        panel_wanted_ = *panel;
}

void App::keep_layout(unsigned dockspace) {
    const bool all_drawn = document_ && settings_.tables_shown;
    frames_with_panels_ = all_drawn ? frames_with_panels_ + 1 : 0;
    ImGuiContext& context = *ImGui::GetCurrentContext();
    const bool changed = context.SettingsDirtyTimer > 0 || context.IO.WantSaveIniSettings;
    if (!changed || frames_with_panels_ < kFramesToDock || ImGui::IsAnyMouseDown()) return;
    context.SettingsDirtyTimer = 0;
    context.IO.WantSaveIniSettings = false;
    PanelLayout now = chosen_layout(dockspace);
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
    ImGui::SetWindowFocus(nullptr);  // the focused panel would come to the front of its tabs
    if (!options_.layout_path.empty()) remove_layout(options_.layout_path);
    pacing_.wake();
}

// The lane heads have a border too, besides those between panels.
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

void App::choose_panel_to_move() {
    border_keys_.leave();
    if (!document_) {
        notify("Panels are moved once a trace is open.", now_);
        return;
    }
    settings_.tables_shown = true;
    std::vector<std::string> panels = panels_in_front();
    std::erase(panels, Legend::kWindow);
    panel_mover_.next(panels);
}

void App::move_panel(unsigned dockspace) {
    const auto step = panel_mover_.draw(frames_with_panels_ >= kFramesToDock, look_);
    if (panel_mover_.waits()) pacing_.wake();
    if (!step) return;
    pacing_.wake();
    const std::string& panel = panel_mover_.panel();
    ImGuiWindow& window = *ImGui::FindWindowByName(panel.c_str());
    if (!window.DockIsActive && step->side) {
        push_floating(*window.RootWindowDockTree, *step->side, step->shift, look_);
        return;
    }
    PanelLayout now = chosen_layout(dockspace);
    const DockRoom room{layout_room_.x / look_.scale, layout_room_.y / look_.scale};
    if (!step->side && window.DockIsActive) {
        const DockRoom size{std::min(window.Size.x / look_.scale, kMostOfRoom * room.width),
                            std::clamp(window.Size.y / look_.scale, kLeastOfRoom * room.height,
                                       kMostOfRoom * room.height)};
        moved_layout_ = floated(std::move(now), panel, (room.width - size.width) / 2,
                                (room.height - size.height) / 2, size);
    } else if (!step->side) {
        moved_layout_ = docked_again(std::move(now), panel);
    } else if (step->shift) {
        moved_layout_ = split_from_tabs(std::move(now), panel, *step->side, room);
    } else {
        moved_layout_ = moved_to_side(std::move(now), panel, *step->side, room);
    }
}

bool App::act_on_columns(Action action) {
    if (action < Action::columns_menu || action > Action::column_sort) return false;
    // For the panel with keyboard focus; else for the first panel with a table.
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
