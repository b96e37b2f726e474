// The positions of panels: restored at the start, saved when the user moves them, moved by keys,
// and reset.
#include <imgui_internal.h>

#include <algorithm>
#include <utility>

#include "ui/commands/panel_names.h"
#include "ui/workspace/docking.h"
#include "ui/workspace/layout_file.h"
#include "ui/workspace/workspace.h"

namespace lanescope {

namespace {

constexpr float kTabPadding = 9;
constexpr float kNarrow = 1280;  // narrower windows have the selection at the bottom
constexpr int kFramesToDock = 3;
constexpr float kFloatingStep = 16;      // by one key
constexpr float kMinShareOfRoom = 0.3f;  // minimum share of a panel that becomes a window
constexpr float kMaxShareOfRoom = 0.7f;

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
        const float min_size = 8 * step;
        ImGui::SetWindowSize(&window, {std::clamp(window.SizeFull.x + by.x, min_size, screen.x),
                                       std::clamp(window.SizeFull.y + by.y, min_size, screen.y)});
    } else {
        const ImVec2 max_position{std::max(0.0f, screen.x - window.SizeFull.x),
                                  std::max(0.0f, screen.y - window.SizeFull.y)};
        ImGui::SetWindowPos(&window, {std::clamp(window.Pos.x + by.x, 0.0f, max_position.x),
                                      std::clamp(window.Pos.y + by.y, 0.0f, max_position.y)});
    }
}

}  // namespace

void Workspace::restore_layout(Frame& frame) {
    LoadedLayout loaded = load_layout(layout_path_);
    layout_ = std::move(loaded.layout);
    if (layout_) groups_.set_detached(detached_panels(*layout_));
    if (layout_) frame.layout.text = layout_text(*layout_);
    greeting_ = frame.options.greeting;
    if (!greeting_.empty() && !loaded.message.empty()) greeting_ += " ";
    greeting_ += loaded.message;
    if (!loaded.may_save) layout_path_.clear();
}

void Workspace::draw_dock(Frame& frame) {
    const Look& look = frame.look;
    const ImVec2 room = ImGui::GetWindowSize();
    dockspace_ = ImGui::GetID("dockspace");
    const bool narrow = room.x < kNarrow * look.scale;
    const bool other = !layout_ && narrow != frame.narrow;
    room_ = room;
    layout_wanted_ = std::exchange(frame.rescaled, false) || layout_wanted_;
    if (frame.layout.wanted) apply_layout(*std::exchange(frame.layout.wanted, {}), frame);
    if (layout_wanted_ || moved_layout_ || other || !ImGui::DockBuilderGetNode(dockspace_)) {
        layout_wanted_ = false;
        frame.narrow = narrow;
        frames_with_panels_ = 0;
        const PanelLayout at_first = layout_ ? *layout_ : first_layout(frame);
        const PanelLayout& layout = moved_layout_ ? *moved_layout_ : at_first;
        groups_.set_detached(detached_panels(layout));
        dock_panels(dockspace_, layout, room, look.scale);
        if (std::exchange(moved_layout_, std::nullopt)) ImGui::MarkIniSettingsDirty();
        roofline_room_ = PanelRoom();  // the dock space has been rebuilt
    }
    // The height of tabs follows from the frame padding.
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.px(8), look.px(kTabPadding)});
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);  // of the arrows that scroll tabs
    ImGui::DockSpace(dockspace_, {0, 0},
                     ImGuiDockNodeFlags{ImGuiDockNodeFlags_NoWindowMenuButton} |
                         ImGuiDockNodeFlags{ImGuiDockNodeFlags_NoCloseButton});
    ImGui::PopStyleVar(2);
}

// Without an own layout of the user.
PanelLayout Workspace::first_layout(const Frame& frame) const {
    return default_layout(frame.narrow, room_.x / frame.look.scale, room_.y / frame.look.scale);
}

// The layout without the window's own temporary changes for a trace.
PanelLayout Workspace::chosen_layout(const Frame& frame) const {
    PanelLayout layout = docked_panels(dockspace_, groups_.windows(), frame.look.scale);
    roofline_room_.leave_out(layout);
    first_table_.leave_out(layout);
    return layout;
}

// Once the panels are docked, so that it is known which are in front.
void Workspace::show_first_table(Frame& frame) {
    const std::string& chosen = frame.front.chosen();
    if (!chosen.empty()) first_table_.choose(chosen);
    first_table_.set_due(first_table_.is_due() && frame.settings.tables_shown && frame.loaded());
    if (!first_table_.is_due()) return;
    frame.pacing.wake();
    if (frames_with_panels_ < kFramesToDock) return;
    if (const auto panel = first_table_.due_panel(*frame.loaded()->whole, panels_in_front(frame)))
        frame.front.bring(*panel);
}

void Workspace::keep_layout(Frame& frame) {
    const bool all_drawn = frame.trace && frame.settings.tables_shown;
    frames_with_panels_ = all_drawn ? frames_with_panels_ + 1 : 0;
    ImGuiContext& context = *ImGui::GetCurrentContext();
    const bool changed = context.SettingsDirtyTimer > 0 || context.IO.WantSaveIniSettings;
    if (!changed || frames_with_panels_ < kFramesToDock || ImGui::IsAnyMouseDown()) return;
    context.SettingsDirtyTimer = 0;
    context.IO.WantSaveIniSettings = false;
    PanelLayout now = chosen_layout(frame);
    const PanelLayout at_first = first_layout(frame);
    if (same_layout(now, layout_ ? *layout_ : at_first)) return;
    if (same_layout(now, at_first)) {
        layout_.reset();
        frame.layout.text.clear();
        if (!layout_path_.empty()) remove_layout(layout_path_);
        return;
    }
    layout_ = std::move(now);
    frame.layout.text = layout_text(*layout_);
    if (layout_path_.empty()) return;
    if (const auto saved = save_layout(*layout_, layout_path_); !saved)
        frame.notify("The layout is not saved: " + saved.error().text);
}

// Restores a layout that the user had before.
void Workspace::apply_layout(const std::string& text, Frame& frame) {
    auto layout = parse_layout(text);
    if (!layout) {
        reset_layout(frame);
        return;
    }
    layout_ = std::move(*layout);
    layout_wanted_ = true;
    frame.layout.text = text;
    if (layout_path_.empty()) return;
    if (const auto saved = save_layout(*layout_, layout_path_); !saved)
        frame.notify("The layout is not saved: " + saved.error().text);
}

void Workspace::reset_layout(Frame& frame) {
    layout_.reset();
    frame.layout.text.clear();
    layout_wanted_ = true;
    frame.settings.tables_shown = true;
    ImGui::SetWindowFocus(nullptr);  // the focused panel would come to the front of its tabs
    if (!layout_path_.empty()) remove_layout(layout_path_);
    frame.pacing.wake();
}

// The lane heads have a border too, besides those between panels.
void Workspace::follow_borders(Frame& frame) {
    std::vector<PanelBorder> borders = panel_borders(dockspace_);
    const TimelineAreas& areas = frame.timeline.areas;
    if (frame.timeline.index)
        borders.push_back(
            {0, true, {areas.heads.x1, areas.ruler.y0}, {areas.heads.x1, areas.heads.y1}});
    const auto move = border_keys_.draw(borders, frame.look);
    if (!move) return;
    frame.pacing.wake();
    if (const PanelBorder& moved = borders[move->border]; moved.split != 0)
        move_border(moved.split, move->by);
    else
        resize_heads(frame.timeline, move->by / frame.look.scale);
}

void Workspace::choose_panel_to_move(Frame& frame) {
    border_keys_.leave();
    if (!frame.trace) {
        frame.notify("Panels are moved once a trace is open.");
        return;
    }
    frame.settings.tables_shown = true;
    std::vector<std::string> panels = windows_in_front(frame);
    std::erase(panels, kLegendWindow);
    panel_mover_.next(panels);
}

void Workspace::move_panel(Frame& frame) {
    const Look& look = frame.look;
    const auto step = panel_mover_.draw(frames_with_panels_ >= kFramesToDock, look);
    if (panel_mover_.waits()) frame.pacing.wake();
    if (!step) return;
    frame.pacing.wake();
    const std::string& panel = panel_mover_.panel();
    ImGuiWindow& window = *ImGui::FindWindowByName(panel.c_str());
    if (!window.DockIsActive && step->side) {
        push_floating(*window.RootWindowDockTree, *step->side, step->shift, look);
        return;
    }
    PanelLayout now = chosen_layout(frame);
    const DockRoom room{room_.x / look.scale, room_.y / look.scale};
    if (!step->side && window.DockIsActive) {
        const DockRoom size{std::min(window.Size.x / look.scale, kMaxShareOfRoom * room.width),
                            std::clamp(window.Size.y / look.scale, kMinShareOfRoom * room.height,
                                       kMaxShareOfRoom * room.height)};
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

void Workspace::act_on_columns(Action action, Frame& frame) {
    // Acts on the panel with keyboard focus; without one, on the first panel with a table.
    std::vector<std::string> panels = windows_in_front(frame);
    if (panel_keys_.on()) panels.insert(panels.begin(), panel_keys_.panel());
    const auto panel = std::ranges::find_if(panels, ColumnKeys::has_table);
    if (panel == panels.end())
        frame.notify("No table is in front: " + keys_of(frame.keys, Action::tables) +
                     " shows those below, and “Panel: …” of the palette any of them.");
    else
        column_keys_.act(action, *panel);
}

}  // namespace lanescope
