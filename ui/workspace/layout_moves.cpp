#include "ui/workspace/layout_moves.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lanescope {

using Split = LayoutNode::Split;

namespace {

constexpr float kEdgeWidth = 388;  // width of a panel that is moved to an edge
constexpr float kEdgeHeight = 216;
constexpr float kEdgePart = 0.4f;  // maximum fraction of the whole area
constexpr float kTouching = 0.5f;  // tolerance, because lengths are rounded

struct Area {
    float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
};

struct PlacedLeaf {
    LayoutNode* leaf = nullptr;
    Area area;
};

bool across(Side side) {
    return side == Side::left || side == Side::right;
}

void place_leaves(LayoutNode& node, const Area& area, std::vector<PlacedLeaf>& placed) {
    if (node.split == Split::none) {
        placed.push_back({&node, area});
        return;
    }
    Area first = area;
    Area second = area;
    const bool columns = node.split == Split::columns;
    const float extent = columns ? area.x1 - area.x0 : area.y1 - area.y0;
    const bool side_first = holds_timeline(node.children[1]);
    const float border = side_first ? node.side : extent - node.side;
    if (columns)
        first.x1 = second.x0 = area.x0 + border;
    else
        first.y1 = second.y0 = area.y0 + border;
    place_leaves(node.children[0], first, placed);
    place_leaves(node.children[1], second, placed);
}

std::vector<PlacedLeaf> leaves_of(PanelLayout& layout, DockRoom room) {
    std::vector<PlacedLeaf> placed;
    place_leaves(layout.docked, {0, 0, room.width, room.height}, placed);
    return placed;
}

bool has_tab(const LayoutNode& node, std::string_view panel) {
    return std::ranges::find(node.tabs, panel) != node.tabs.end();
}

// The distance from `from` to `other` towards that side; negative: `other` is not on that side.
float way_to(const Area& from, const Area& other, Side side) {
    switch (side) {
        case Side::left:
            return from.x0 - other.x1;
        case Side::right:
            return other.x0 - from.x1;
        case Side::up:
            return from.y0 - other.y1;
        case Side::down:
            return other.y0 - from.y1;
    }
    return -1;
}

// The length of the edges with which two panels face each other.
float facing(const Area& a, const Area& b, Side side) {
    return across(side) ? std::min(a.y1, b.y1) - std::max(a.y0, b.y0)
                        : std::min(a.x1, b.x1) - std::max(a.x0, b.x0);
}

// Whether the panel covers the whole edge.
bool is_edge(const Area& area, Side side, DockRoom room) {
    return across(side) ? area.y0 <= kTouching && area.y1 >= room.height - kTouching
                        : area.x0 <= kTouching && area.x1 >= room.width - kTouching;
}

LayoutNode* neighbour(const std::vector<PlacedLeaf>& leaves, const PlacedLeaf& from, Side side) {
    const PlacedLeaf* best = nullptr;
    const auto rank = [&](const PlacedLeaf& one) {
        return std::pair(-way_to(from.area, one.area, side), facing(from.area, one.area, side));
    };
    for (const PlacedLeaf& one : leaves) {
        if (one.leaf == from.leaf || holds_timeline(*one.leaf)) continue;
        if (way_to(from.area, one.area, side) < -kTouching) continue;
        if (facing(from.area, one.area, side) <= 0) continue;
        if (!best || rank(one) > rank(*best)) best = &one;
    }
    return best ? best->leaf : nullptr;
}

void erase_panel(LayoutNode& node, std::string_view panel) {
    if (node.front == panel) node.front.clear();
    std::erase(node.tabs, panel);
    for (LayoutNode& child : node.children) erase_panel(child, panel);
}

bool is_empty(const LayoutNode& node) {
    return node.split == Split::none && node.tabs.empty();
}

// Removes empty parts; their neighbours take the space.
void drop_empty_parts(LayoutNode& node) {
    for (LayoutNode& child : node.children) drop_empty_parts(child);
    const auto empty = std::ranges::find_if(node.children, is_empty);
    if (empty == node.children.end()) return;
    LayoutNode rest = std::move(node.children[empty == node.children.begin() ? 1 : 0]);
    node = std::move(rest);
}

void take_out(PanelLayout& layout, std::string_view panel) {
    erase_panel(layout.docked, panel);
    drop_empty_parts(layout.docked);
    for (FloatingPanels& floating : layout.floating) {
        erase_panel(floating.node, panel);
        drop_empty_parts(floating.node);
    }
    std::erase_if(layout.floating,
                  [](const FloatingPanels& floating) { return is_empty(floating.node); });
}

// The node becomes one part of a new split; the panel is on the given side.
void add_beside(LayoutNode& node, std::string_view panel, Side side, float extent) {
    LayoutNode added;
    added.tabs = {std::string(panel)};
    LayoutNode rest = std::move(node);
    node = {};
    node.split = across(side) ? Split::columns : Split::rows;
    node.side = extent;
    const bool first = side == Side::left || side == Side::up;
    node.children.push_back(std::move(rest));
    node.children.insert(first ? node.children.begin() : node.children.end(), std::move(added));
}

}  // namespace

PanelLayout moved_to_side(PanelLayout layout, std::string_view panel, Side side, DockRoom room) {
    const std::vector<PlacedLeaf> leaves = leaves_of(layout, room);
    const auto from = std::ranges::find_if(
        leaves, [&](const PlacedLeaf& one) { return has_tab(*one.leaf, panel); });
    if (from != leaves.end()) {
        if (LayoutNode* const to = neighbour(leaves, *from, side)) {
            erase_panel(layout.docked, panel);
            to->tabs.emplace_back(panel);
            to->front = panel;
            drop_empty_parts(layout.docked);
            return layout;
        }
        if (from->leaf->tabs.size() == 1 && is_edge(from->area, side, room)) return layout;
    }
    take_out(layout, panel);
    const float max_share = kEdgePart * (across(side) ? room.width : room.height);
    add_beside(layout.docked, panel, side,
               std::min(across(side) ? kEdgeWidth : kEdgeHeight, max_share));
    return layout;
}

PanelLayout split_from_tabs(PanelLayout layout, std::string_view panel, Side side, DockRoom room) {
    for (const PlacedLeaf& one : leaves_of(layout, room)) {
        if (!has_tab(*one.leaf, panel) || one.leaf->tabs.size() < 2) continue;
        const float extent = across(side) ? one.area.x1 - one.area.x0 : one.area.y1 - one.area.y0;
        erase_panel(*one.leaf, panel);
        add_beside(*one.leaf, panel, side, extent / 2);
        break;
    }
    return layout;
}

PanelLayout floated(PanelLayout layout, std::string_view panel, float x, float y, DockRoom size) {
    take_out(layout, panel);
    FloatingPanels floating{x, y, size.width, size.height, {}};
    floating.node.tabs = {std::string(panel)};
    layout.floating.push_back(std::move(floating));
    return layout;
}

PanelLayout docked_again(PanelLayout layout, std::string_view panel) {
    take_out(layout, panel);
    add_panel(layout, panel, true);
    return layout;
}

}  // namespace lanescope
