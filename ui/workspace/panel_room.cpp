#include "ui/workspace/panel_room.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "ui/workspace/docking.h"

namespace lanescope {

namespace {

constexpr float kWanted = 420;  // wanted height in design pixels
constexpr float kPart = 0.55f;  // maximum share of the dock space's height
constexpr float kWorthIt = 24;  // a smaller gain is not worth a change
constexpr float kMovedByHand = 2.5f;

// The nearest enclosing split whose border can move to make the node higher; null: there is none.
ImGuiDockNode* split_above(ImGuiDockNode* node) {
    ImGuiDockNode* parent = node->ParentNode;
    while (parent && parent->SplitAxis != ImGuiAxis_Y) parent = parent->ParentNode;
    return parent;
}

bool is_inside(const ImGuiDockNode* node, const ImGuiDockNode* around) {
    while (node && node != around) node = node->ParentNode;
    return node != nullptr;
}

// Takes `by` from the nearest split of rows around the panel; returns whether the panel is inside
// this node, and whether the space is still to be taken.
enum class Place : uint8_t { elsewhere, here, done };
Place lower(LayoutNode& node, std::string_view panel, float by) {
    if (node.split == LayoutNode::Split::none)
        return std::ranges::find(node.tabs, panel) == node.tabs.end() ? Place::elsewhere
                                                                      : Place::here;
    const std::size_t side = holds_timeline(node.children[1]) ? 0 : 1;
    for (std::size_t i = 0; i < node.children.size(); ++i) {
        const Place place = lower(node.children[i], panel, by);
        if (place == Place::elsewhere) continue;
        if (place == Place::done || node.split != LayoutNode::Split::rows) return place;
        node.side += i == side ? -by : by;
        return Place::done;
    }
    return Place::elsewhere;
}

}  // namespace

void PanelRoom::follow(std::string_view name, bool in_front, ImGuiID dockspace, float scale) {
    moved_ = false;
    window_ = name;
    const ImGuiWindow* const window = ImGui::FindWindowByName(window_.data());
    in_front = in_front && window && window->Active && window->DockIsActive;
    if (in_front && !was_in_front_) take(dockspace, scale);
    if (!in_front && was_in_front_) give_back();
    was_in_front_ = in_front;
}

void PanelRoom::take(ImGuiID dockspace, float scale) {
    const ImGuiWindow* const window = ImGui::FindWindowByName(window_.data());
    const ImGuiDockNode* const root = ImGui::DockBuilderGetNode(dockspace);
    ImGuiDockNode* const node = window->DockNode;
    if (split_ != 0 || !root || !node || !is_inside(node, root)) return;
    const float wanted = std::min(kWanted * scale, kPart * root->Size.y);
    const ImGuiDockNode* const split = split_above(node);
    if (!split || wanted - node->Size.y < kWorthIt * scale) return;
    by_ = std::round(wanted - node->Size.y);
    height_ = node->Size.y + by_;
    split_ = split->ID;
    node_ = node->ID;
    scale_ = scale;
    move_border(split_, is_inside(node, split->ChildNodes[1]) ? -by_ : by_);
    moved_ = true;
}

// Returns the space, unless the user has moved the border since.
void PanelRoom::give_back() {
    const ImGuiDockNode* const split = ImGui::DockBuilderGetNode(split_);
    const ImGuiDockNode* const node = ImGui::DockBuilderGetNode(node_);
    if (split && split->IsSplitNode() && node && is_inside(node, split) &&
        std::abs(node->Size.y - height_) <= kMovedByHand) {
        move_border(split_, is_inside(node, split->ChildNodes[1]) ? by_ : -by_);
        moved_ = true;
    }
    split_ = 0;
}

void PanelRoom::leave_out(PanelLayout& layout) const {
    const ImGuiDockNode* const node = split_ == 0 ? nullptr : ImGui::DockBuilderGetNode(node_);
    if (node && std::abs(node->Size.y - height_) <= kMovedByHand)
        lower(layout.docked, window_, by_ / scale_);
}

}  // namespace lanescope
