#include "ui/workspace/layout_moves.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace lanescope;

using Split = LayoutNode::Split;

namespace {

constexpr DockRoom kRoom{1600, 936};

// columns[rows[timeline | tables] | selection]
PanelLayout wide() {
    return default_layout(false, kRoom.width, kRoom.height);
}

int count_of(const LayoutNode& node, std::string_view panel) {
    auto count = static_cast<int>(std::ranges::count(node.tabs, panel));
    for (const LayoutNode& child : node.children) count += count_of(child, panel);
    return count;
}

// Each window is at one place, and no part is without a panel.
void check_whole(const PanelLayout& layout) {
    std::vector<std::string_view> windows;
    for (const std::string_view panel : panel_names())
        if (!group_of_panel(panel)) windows.push_back(panel);
    for (const PanelGroup& group : panel_groups()) windows.push_back(group.window);
    for (const std::string_view window : windows) {
        CAPTURE(window);
        int count = count_of(layout.docked, window);
        for (const FloatingPanels& floating : layout.floating)
            count += count_of(floating.node, window);
        CHECK(count == 1);
    }
    const auto read = parse_layout(layout_text(layout));
    REQUIRE(read);
    CHECK(same_layout(*read, layout));
}

}  // namespace

TEST_CASE("a panel moves next to the nearest panels at a side, past the timeline") {
    const PanelLayout right = moved_to_side(wide(), "Lists##group", Side::right, kRoom);
    check_whole(right);
    CHECK(right.docked.children[1].tabs.back() == "Lists##group");
    CHECK(right.docked.children[1].front == "Lists##group");
    CHECK(count_of(right.docked.children[0], "Lists##group") == 0);

    const PanelLayout back = moved_to_side(right, "Lists##group", Side::left, kRoom);
    check_whole(back);
    CHECK(back.docked.children[0].children[1].tabs.back() == "Lists##group");
    CHECK(back.docked.children[1].front.empty());
}

TEST_CASE("a panel without a neighbour at that side moves to the edge of the window") {
    const PanelLayout up = moved_to_side(wide(), "Lists##group", Side::up, kRoom);
    check_whole(up);
    CHECK(up.docked.split == Split::rows);
    CHECK(up.docked.side == doctest::Approx(216));
    CHECK(up.docked.children[0].tabs == std::vector<std::string>{"Lists##group"});
    CHECK(same_layout(moved_to_side(up, "Lists##group", Side::up, kRoom), up));

    const PanelLayout down = moved_to_side(wide(), "Selection", Side::down, kRoom);
    check_whole(down);
    CHECK(down.docked.children[1].tabs == std::vector<std::string>{"Selection"});
    const PanelLayout low = moved_to_side(wide(), "Selection", Side::down, {1600, 300});
    CHECK(low.docked.side == doctest::Approx(120));

    // Closing the last panel of a part removes the part.
    PanelLayout alone = wide();
    alone.docked.children[1].tabs = {"Selection"};
    for (const char* panel : {"Range", "Notes"})
        alone.docked.children[0].children[1].tabs.emplace_back(panel);
    const PanelLayout left = moved_to_side(alone, "Selection", Side::left, kRoom);
    check_whole(left);
    REQUIRE(left.docked.split == Split::rows);
    CHECK(left.docked.children[1].tabs.back() == "Selection");
}

TEST_CASE("a panel moves beside its tabs") {
    const PanelLayout halves = split_from_tabs(wide(), "Lists##group", Side::left, kRoom);
    check_whole(halves);
    const LayoutNode& tables = halves.docked.children[0].children[1];
    REQUIRE(tables.split == Split::columns);
    CHECK(tables.side == doctest::Approx((1600 - 388) / 2.0));
    CHECK(tables.children[0].tabs == std::vector<std::string>{"Lists##group"});
    CHECK(same_layout(split_from_tabs(halves, "Lists##group", Side::up, kRoom), halves));

    const PanelLayout below = split_from_tabs(wide(), "Range", Side::down, kRoom);
    check_whole(below);
    CHECK(below.docked.children[1].split == Split::rows);
    CHECK(below.docked.children[1].side == doctest::Approx(936 / 2.0));
    CHECK(below.docked.children[1].children[1].tabs == std::vector<std::string>{"Range"});

    // The arrows move it from half to half.
    const PanelLayout together = moved_to_side(halves, "Lists##group", Side::right, kRoom);
    check_whole(together);
    CHECK(together.docked.children[0].children[1].tabs.back() == "Lists##group");
}

TEST_CASE("a panel becomes a separate window, and returns to the tables") {
    const PanelLayout out = floated(wide(), "Lists##group", 100, 200, {640, 300});
    check_whole(out);
    REQUIRE(out.floating.size() == 1);
    CHECK(out.floating[0].node.tabs == std::vector<std::string>{"Lists##group"});
    CHECK(out.floating[0].width == doctest::Approx(640));
    const PanelLayout back = docked_again(out, "Lists##group");
    check_whole(back);
    CHECK(back.floating.empty());
    CHECK(back.docked.children[0].children[1].tabs.back() == "Lists##group");
    CHECK(back.docked.children[0].children[1].front == "Lists##group");
    CHECK(docked_again(floated(wide(), "Range", 0, 0, {300, 300}), "Range")
              .docked.children[1]
              .tabs.back() == "Range");
    check_whole(moved_to_side(out, "Lists##group", Side::left, kRoom));
}
