// The windows of panels and groups: drawing them, and giving a panel a window of its own.
#include <imgui_internal.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "ui/workspace/workspace.h"

namespace lanescope {

namespace {

constexpr float kTitlePadding = 9;
constexpr float kOwnWidth = 640;  // of the window of a panel that leaves its group
constexpr float kOwnHeight = 320;

// Selects the tab only: the focus stays where it is, for example in a text field. But if a panel of
// the same row has the focus, that panel would stay in front, so it passes the focus on.
void show_in_front(ImGuiDockNode* node, ImGuiID tab_id) {
    ImGuiTabBar* const bar = node ? node->TabBar : nullptr;
    const ImGuiWindow* const focused = ImGui::GetCurrentContext()->NavWindow;
    const bool in_row = focused && focused->RootWindow->DockNode == node;
    ImGuiTabItem* const tab = bar ? ImGui::TabBarFindTabByID(bar, tab_id) : nullptr;
    if (tab && !in_row)
        ImGui::TabBarQueueFocus(bar, tab);
    else
        ImGui::SetNextWindowFocus();
}

// Replaces the text of a docked window's tab, which Dear ImGui takes from the window's name when it
// draws the row of tabs, before the windows of a frame begin. The window's own begin restores it.
void set_tab_text(const std::string& text) {
    ImGuiWindow& window = *ImGui::GetCurrentWindow();
    if (text.empty() || !window.DockIsActive) return;
    std::size_t room = static_cast<std::size_t>(window.NameBufLen);
    window.Name = ImStrdupcpy(window.Name, &room, text.c_str());
    window.NameBufLen = static_cast<int>(room);
}

}  // namespace

void Workspace::draw_each(Frame& frame) {
    if (!frame.trace) return;  // the start screen or an error fills the whole window
    for (Panel* const panel : panels_) panel->follow(frame);
    groups_.begin_frame(frame);
    // A panel of a group comes to the front together with its group.
    const std::string_view wanted = panel_called(frame.front.wanted())
                                        ? panel_called(frame.front.wanted())->name()
                                        : std::string_view();
    if (groups_.window_of(wanted) != wanted) {
        groups_.choose(wanted);
        frame.front.bring(groups_.window_of(wanted));
    }
    ready_ = !frame.timeline.index || frame.loaded() != nullptr;
    for (std::size_t i = 0; i < panels_.size(); ++i)
        if (i < always_ || (frame.settings.tables_shown && groups_.is_detached(panels_[i]->name())))
            draw_own_window(*panels_[i], frame);
    for (const PanelGroup& group : panel_groups()) draw_group(group, frame);
}

Panel* Workspace::panel_called(std::string_view name) const {
    const auto found = std::ranges::find(panels_, name, &Panel::name);
    return found == panels_.end() ? nullptr : *found;
}

void Workspace::draw_contents(Panel& panel, bool visible, Frame& frame) {
    if (visible) panel.draw(frame);
    if (frame.loaded() && (visible || panel.works_hidden())) ready_ = ready_ && panel.ready();
}

void Workspace::draw_own_window(Panel& panel, Frame& frame) {
    const std::string_view name = panel.name();
    bool open = true;
    const bool visible = begin_window(name, group_of_panel(name) ? &open : nullptr, frame);
    draw_contents(panel, visible, frame);
    set_tab_text(panel.tab_text(frame));
    if (std::exchange(dragged_out_, dragged_out_ == name ? "" : dragged_out_) == name &&
        ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
        ImGuiWindow* const window = ImGui::GetCurrentWindow();
        ImGui::StartMouseMovingWindow(window);
        // The pointer holds the window by its title: Dear ImGui docks no window held elsewhere.
        ImGui::GetCurrentContext()->ActiveIdClickOffset = {window->Size.x / 4,
                                                           frame.look.px(kTitlePadding)};
    }
    ImGui::End();
    if (open) return;
    groups_.attach(name);
    frame.front.bring(name);
    ImGui::MarkIniSettingsDirty();
    frame.pacing.wake();
}

void Workspace::draw_group(const PanelGroup& group, Frame& frame) {
    const bool hidden = !frame.settings.tables_shown;
    const bool visible = !hidden && begin_window(group.window, nullptr, frame);
    std::optional<std::string_view> own_window;
    const Panel* const at_first = panel_called(groups_.shown(group));
    if (visible)
        own_window =
            groups_.draw_buttons(group, at_first ? at_first->width_of_tools(frame.look) : 0, frame);
    const std::string_view front = groups_.shown(group);
    for (const std::string_view name : group.panels) {
        Panel* const panel = groups_.is_detached(name) ? nullptr : panel_called(name);
        if (panel) draw_contents(*panel, visible && name == front, frame);
    }
    if (visible && front.empty())
        ImGui::TextDisabled("%s", "All panels of this group have windows of their own.");
    if (!hidden) ImGui::End();
    if (own_window) give_own_window(*own_window, frame);
}

// The new window appears at the pointer, so that the same drag can move it further.
void Workspace::give_own_window(std::string_view panel, Frame& frame) {
    groups_.detach(panel);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const ImVec2 size{frame.look.px(kOwnWidth), frame.look.px(kOwnHeight)};
    const ImVec2 room = ImGui::GetMainViewport()->Size;
    if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) dragged_out_ = panel;
    ImGui::DockBuilderDockWindow(panel.data(), 0);
    own_place_ = ImVec2{
        std::clamp(mouse.x - size.x / 4, 0.0f, std::max(0.0f, room.x - size.x)),
        std::clamp(mouse.y - frame.look.px(kTitlePadding), 0.0f, std::max(0.0f, room.y - size.y))};
    own_size_ = size;
    own_panel_ = panel;
    ImGui::ClearActiveID();
    ImGui::MarkIniSettingsDirty();
    frame.pacing.wake();
}

bool Workspace::begin_window(std::string_view name, bool* open, Frame& frame) {
    const Look& look = frame.look;
    const ImGuiWindow* window = ImGui::FindWindowByName(name.data());
    const bool docked = window && window->DockIsActive;
    // Panels that float above the timeline hide what is behind them.
    const bool floating = docked && window->DockNode &&
                          ImGui::DockNodeGetRootNode(window->DockNode)->IsFloatingNode();
    const bool clear = docked && !floating;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, docked ? 0.0f : 1.0f);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {look.px(16), look.px(8)});
    // Tabs of the dock space are taller than those of floating windows.
    if (!floating)
        ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.px(8), look.px(kTitlePadding)});
    // A tab keeps the text colour with which its window began.
    const bool behind = docked && !window->DockTabIsVisible;
    ImGui::PushStyleColor(ImGuiCol_Text, behind ? look.colors.low : look.colors.hi);
    if (frame.front.wants(name)) {
        show_in_front(docked ? window->DockNode : nullptr, docked ? window->TabId : 0);
        frame.front.done();
        frame.pacing.wake();
    }
    if (own_panel_ == name) {
        ImGui::SetNextWindowPos(own_place_);
        ImGui::SetNextWindowSize(own_size_);
        ImGui::SetNextWindowFocus();
        own_panel_ = {};
    }
    // The first of a row of tabs is in front until another is chosen.
    const ImGuiWindowFlags flags = ImGuiWindowFlags_NoFocusOnAppearing;
    const bool visible =
        ImGui::Begin(name.data(), open, clear ? flags | ImGuiWindowFlags_NoBackground : flags);
    ImGui::PopStyleColor();
    if (docked && window->DockTabIsVisible == behind) frame.pacing.wake();
    ImGui::PopStyleVar(floating ? 2 : 3);
    if (clear && visible && window->DockNode) {
        const ImGuiDockNode& node = *window->DockNode;
        frame.canvas.background(node.Pos, {node.Pos.x + node.Size.x, node.Pos.y + node.Size.y},
                                look.colors.panel);
    }
    return visible;
}

}  // namespace lanescope
