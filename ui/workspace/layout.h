// Layout: the positions of panels, as plain data. Lengths are design pixels, so a layout is valid
// at any interface scale; the timeline takes the remaining space.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "ui/commands/panel_names.h"

namespace lanescope {

struct LayoutNode {
    enum class Split : uint8_t { none, columns, rows };

    Split split = Split::none;
    // Of a split: the size of the child without the timeline; of the second child if neither has
    // it.
    float side = 0;
    std::vector<LayoutNode> children;  // two for a split, none for a leaf
    // For a leaf, the windows from left to right: of groups, or of single panels.
    std::vector<std::string> tabs;
    std::string front;  // the visible tab; empty: the first
};

struct FloatingPanels {
    float x = 0, y = 0, width = 0, height = 0;
    LayoutNode node;
};

struct PanelLayout {
    LayoutNode docked;
    std::vector<FloatingPanels> floating;
};

// Whether this part of a layout contains the timeline.
bool holds_timeline(const LayoutNode& node);

// The target of `Reset layout`: tables below; the selection on the right or, in a narrow window,
// among the tables; in a wide window, roofline and statistics below the selection. Width and
// height: of the whole area, at scale 1.
PanelLayout default_layout(bool narrow, float width, float height);

// Adds a panel without a place: among the tables or, if it describes a part of the trace, beside
// the selection.
void add_panel(PanelLayout& layout, std::string_view panel, bool in_front);

// If `panel` is in front of a row of tabs that also has `instead`, brings `instead` to the front.
void put_in_front(LayoutNode& node, std::string_view instead, std::string_view panel);

// Whether the panels are in the same places, with lengths equal up to rounding.
bool same_layout(const PanelLayout& a, const PanelLayout& b);

std::string layout_text(const PanelLayout& layout);
// Parses the output of layout_text(). Unknown windows are ignored. A panel of a group has a window
// of its own if the layout places it; other missing windows are added to the tables. Errors:
// invalid text, or a layout that cannot be shown.
Result<PanelLayout> parse_layout(std::string_view text);
// Whether the text is of version 1, which had no groups.
bool is_old_layout(std::string_view text);
// The panels that have windows of their own although they belong to a group.
std::set<std::string_view> detached_panels(const PanelLayout& layout);

}  // namespace lanescope
