// Layout: where the panels stand, as plain data. Lengths are pixels of the design, so a layout
// holds at any interface scale; what is left over goes to the timeline.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "ui/panels/panel_names.h"

namespace lanescope {

struct LayoutNode {
    enum class Split : uint8_t { none, columns, rows };

    Split split = Split::none;
    // Of a split: the extent of the child without the timeline; of the second where neither has it.
    float side = 0;
    std::vector<LayoutNode> children;  // two of a split, none of a leaf
    std::vector<std::string> tabs;     // of a leaf, from left to right
    std::string front;                 // the tab that is seen; empty: the first
};

struct FloatingPanels {
    float x = 0, y = 0, width = 0, height = 0;
    LayoutNode node;
};

struct PanelLayout {
    LayoutNode docked;
    std::vector<FloatingPanels> floating;
};

// Whether the timeline stands in this part of a layout.
bool holds_timeline(const LayoutNode& node);

// What `Reset layout` brings back: tables below, the selection at the right, or among the tables
// where the window is narrow. `height` of the room for all of it.
PanelLayout default_layout(bool narrow, float height);

// A panel that has no place: among the tables, or beside the selection what tells of a part.
void add_panel(PanelLayout& layout, std::string_view panel, bool in_front);

// Where `panel` is in front of a row of tabs that has `instead` too, that one is.
void put_in_front(LayoutNode& node, std::string_view instead, std::string_view panel);

// The same panels at the same places, lengths apart by a rounding at most.
bool same_layout(const PanelLayout& a, const PanelLayout& b);

std::string layout_text(const PanelLayout& layout);
// What layout_text() wrote. `panels`: the names there are; others are left out, and those that the
// text lacks join the tables. Errors: no such text, or no layout that can be shown.
Result<PanelLayout> parse_layout(std::string_view text, std::span<const std::string_view> panels);

}  // namespace lanescope
