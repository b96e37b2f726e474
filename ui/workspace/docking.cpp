#include "ui/workspace/docking.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace lanescope {

using Split = LayoutNode::Split;

namespace {

constexpr float kMinPart = 0.05f;
constexpr float kMinExtent = 5;  // minimum size of a part, in text heights

ImGuiID tab_id(const std::string& window) {
    return ImHashStr("#TAB", 4, ImHashStr(window.c_str()));
}

void dock_tabs(const LayoutNode& leaf, ImGuiID id) {
    short order = 0;
    for (const std::string& tab : leaf.tabs) {
        ImGui::DockBuilderDockWindow(tab.c_str(), id);
        if (ImGuiWindow* window = ImGui::FindWindowByName(tab.c_str())) {
            window->DockOrder = order++;
        } else if (auto* settings = ImGui::FindWindowSettingsByID(ImHashStr(tab.c_str()))) {
            settings->DockOrder = order++;
        }
    }
    ImGuiDockNode* node = ImGui::DockBuilderGetNode(id);
    if (node && !leaf.front.empty()) node->SelectedTabId = tab_id(leaf.front);
}

void dock_node(const LayoutNode& node, ImGuiID id, ImVec2 size, float scale) {
    if (node.split == Split::none) {
        dock_tabs(node, id);
        return;
    }
    const bool columns = node.split == Split::columns;
    float& extent = columns ? size.x : size.y;
    const bool side_first = holds_timeline(node.children[1]);
    const float side =
        std::clamp(std::round(node.side * scale) / std::max(extent, 1.0f), kMinPart, 1 - kMinPart);
    // The direction is that of the side: the other part is the node's central one, which takes the
    // rest when the window is resized.
    const ImGuiDir direction = columns ? (side_first ? ImGuiDir_Left : ImGuiDir_Right)
                                       : (side_first ? ImGuiDir_Up : ImGuiDir_Down);
    ImGuiID at_side = 0;
    ImGuiID rest = 0;
    ImGui::DockBuilderSplitNode(id, direction, side, &at_side, &rest);
    const float whole = extent;
    extent = whole * side;
    dock_node(node.children[side_first ? 0 : 1], at_side, size, scale);
    extent = whole * (1 - side);
    dock_node(node.children[side_first ? 1 : 0], rest, size, scale);
}

// A single panel floats as a window, which has its own position, not that of its node.
void float_panel(const std::string& name, ImVec2 pos, ImVec2 size) {
    ImGui::DockBuilderDockWindow(name.c_str(), 0);
    if (ImGui::FindWindowByName(name.c_str())) {
        ImGui::SetWindowPos(name.c_str(), pos);
        ImGui::SetWindowSize(name.c_str(), size);
    } else if (auto* settings = ImGui::FindWindowSettingsByID(ImHashStr(name.c_str()))) {
        settings->Pos = {static_cast<short>(pos.x), static_cast<short>(pos.y)};
        settings->Size = {static_cast<short>(size.x), static_cast<short>(size.y)};
    }
}

// A panel's window. (The name of the window is the text of its tab.)
struct PanelWindow {
    std::string_view panel;
    const ImGuiWindow* window = nullptr;
};
using Windows = std::vector<PanelWindow>;

LayoutNode read_leaf(const ImGuiDockNode& node, const Windows& windows) {
    Windows inside;
    for (const PanelWindow& one : windows) {
        if (one.window->DockNode == &node) inside.push_back(one);
    }
    std::stable_sort(inside.begin(), inside.end(), [](const PanelWindow& a, const PanelWindow& b) {
        return a.window->DockOrder < b.window->DockOrder;
    });
    LayoutNode leaf;
    for (const PanelWindow& one : inside) {
        leaf.tabs.emplace_back(one.panel);
        if (inside.size() > 1 && one.window->TabId == node.SelectedTabId) leaf.front = one.panel;
    }
    return leaf;
}

LayoutNode read_node(const ImGuiDockNode& node, const Windows& windows, float scale) {
    if (!node.IsSplitNode()) return read_leaf(node, windows);
    LayoutNode first = read_node(*node.ChildNodes[0], windows, scale);
    LayoutNode second = read_node(*node.ChildNodes[1], windows, scale);
    const auto empty = [](const LayoutNode& n) { return n.split == Split::none && n.tabs.empty(); };
    if (empty(first)) return second;
    if (empty(second)) return first;
    LayoutNode read;
    const bool columns = node.SplitAxis == ImGuiAxis_X;
    read.split = columns ? Split::columns : Split::rows;
    const ImVec2 side = node.ChildNodes[holds_timeline(second) ? 0 : 1]->Size;
    read.side = (columns ? side.x : side.y) / scale;
    read.children.push_back(std::move(first));
    read.children.push_back(std::move(second));
    return read;
}

void add_borders(const ImGuiDockNode& node, std::vector<PanelBorder>& borders) {
    if (!node.IsSplitNode()) return;
    const ImGuiDockNode& first = *node.ChildNodes[0];
    const ImGuiDockNode& second = *node.ChildNodes[1];
    if (first.IsVisible && second.IsVisible) {
        const bool upright = node.SplitAxis == ImGuiAxis_X;
        const float x = std::round((first.Pos.x + first.Size.x + second.Pos.x) / 2);
        const float y = std::round((first.Pos.y + first.Size.y + second.Pos.y) / 2);
        borders.push_back(
            {node.ID, upright, upright ? ImVec2(x, node.Pos.y) : ImVec2(node.Pos.x, y),
             upright ? ImVec2(x, node.Pos.y + node.Size.y) : ImVec2(node.Pos.x + node.Size.x, y)});
    }
    add_borders(first, borders);
    add_borders(second, borders);
}

// Parts further inside keep their size, as with the mouse: of splits along the same axis only the
// parts at the border change.
void keep_far_parts(ImGuiDockNode& node, int axis, int touching) {
    if (!node.IsSplitNode()) return;
    if (node.SplitAxis == axis) {
        node.ChildNodes[1 - touching]->WantLockSizeOnce = true;
        keep_far_parts(*node.ChildNodes[touching], axis, touching);
        return;
    }
    for (ImGuiDockNode* const child : node.ChildNodes) keep_far_parts(*child, axis, touching);
}

}  // namespace

std::vector<PanelBorder> panel_borders(ImGuiID dockspace) {
    std::vector<PanelBorder> borders;
    if (const ImGuiDockNode* root = ImGui::DockBuilderGetNode(dockspace))
        add_borders(*root, borders);
    return borders;
}

void move_border(ImGuiID split, float by) {
    ImGuiDockNode* const node = ImGui::DockBuilderGetNode(split);
    if (!node || !node->IsSplitNode()) return;
    ImGuiDockNode& first = *node->ChildNodes[0];
    ImGuiDockNode& second = *node->ChildNodes[1];
    const int axis = node->SplitAxis;
    const auto min_extent = [axis](const ImGuiDockNode& part) {
        return std::min(part.Size[axis], kMinExtent * ImGui::GetFontSize());
    };
    by = std::clamp(by, min_extent(first) - first.Size[axis],
                    second.Size[axis] - min_extent(second));
    first.SizeRef[axis] = first.Size[axis] + by;
    second.SizeRef[axis] = second.Size[axis] - by;
    keep_far_parts(first, axis, 1);
    keep_far_parts(second, axis, 0);
    ImGui::MarkIniSettingsDirty();
}

void dock_panels(ImGuiID dockspace, const PanelLayout& layout, ImVec2 size, float scale) {
    ImGui::DockBuilderRemoveNode(dockspace);
    ImGui::DockBuilderAddNode(dockspace, ImGuiDockNodeFlags_DockSpace);
    ImGui::DockBuilderSetNodeSize(dockspace, size);
    dock_node(layout.docked, dockspace, size, scale);
    ImGui::DockBuilderFinish(dockspace);
    const ImVec2 screen = ImGui::GetMainViewport()->Size;
    for (const FloatingPanels& floating : layout.floating) {
        const ImVec2 room{std::min(floating.width * scale, screen.x),
                          std::min(floating.height * scale, screen.y)};
        const ImVec2 pos{std::min(floating.x * scale, screen.x - room.x),
                         std::min(floating.y * scale, screen.y - room.y)};
        if (floating.node.tabs.size() == 1) {
            float_panel(floating.node.tabs.front(), pos, room);
            continue;
        }
        const ImGuiID node = ImGui::DockBuilderAddNode();
        ImGui::DockBuilderSetNodePos(node, pos);
        ImGui::DockBuilderSetNodeSize(node, room);
        dock_node(floating.node, node, room, scale);
        ImGui::DockBuilderFinish(node);
    }
}

ImGuiWindowClass timeline_window_class() {
    ImGuiWindowClass alone;
    alone.DockNodeFlagsOverrideSet = ImGuiDockNodeFlags{ImGuiDockNodeFlags_NoTabBar} |
                                     ImGuiDockNodeFlags{ImGuiDockNodeFlags_NoDockingOverMe};
    return alone;
}

PanelLayout docked_panels(ImGuiID dockspace, std::span<const std::string_view> panels,
                          float scale) {
    PanelLayout layout;
    const ImGuiDockNode* root = ImGui::DockBuilderGetNode(dockspace);
    if (!root) return layout;
    Windows windows;
    for (const std::string_view panel : panels) {
        if (const ImGuiWindow* window = ImGui::FindWindowByName(panel.data()))
            windows.push_back({panel, window});
    }
    layout.docked = read_node(*root, windows, scale);
    std::vector<const ImGuiDockNode*> reported = {root};
    for (const auto& [panel, window] : windows) {
        const ImGuiDockNode* node =
            window->DockNode ? ImGui::DockNodeGetRootNode(window->DockNode) : nullptr;
        if (node && std::count(reported.begin(), reported.end(), node) > 0) continue;
        if (node) reported.push_back(node);
        const ImVec2 at = node ? node->Pos : window->Pos;
        const ImVec2 room = node ? node->Size : window->SizeFull;
        FloatingPanels floating{std::max(0.0f, at.x / scale),
                                std::max(0.0f, at.y / scale),
                                room.x / scale,
                                room.y / scale,
                                {}};
        if (node) {
            floating.node = read_node(*node, windows, scale);
        } else {
            floating.node.tabs = {std::string(panel)};
        }
        layout.floating.push_back(std::move(floating));
    }
    return layout;
}

}  // namespace lanescope
