#include "ui/commands/panel_names.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace lanescope;

TEST_CASE("panels are found by common names") {
    CHECK(panel_called("kernels") == "Kernels");
    CHECK(panel_called("Dead windows") == "Dead windows");
    CHECK(panel_called("dead-windows") == "Dead windows");
    CHECK(panel_called("breakdown") == "Breakdown");
    CHECK(panel_called("BREAKDOWN") == "Breakdown");
    CHECK(panel_called("time").empty());  // a group
    CHECK(panel_called("roofline") == "Roofline");
    CHECK(panel_called("kernel").empty());
    CHECK(panel_called("").empty());
    for (const std::string_view name : panel_names()) CHECK(panel_called(name) == name);
}

TEST_CASE("each panel is the timeline, beside it, or in one group") {
    std::vector<std::string_view> placed = {kTimelinePanel};
    for (const std::string_view panel : panel_names())
        if (is_side_panel(panel)) placed.push_back(panel);
    CHECK(placed.size() == 4);
    CHECK(panel_groups().size() == 7);
    for (const PanelGroup& group : panel_groups()) {
        CHECK(std::string(group.title()) + "##group" == group.window);
        CHECK(!group.panels.empty());
        for (const std::string_view panel : group.panels) {
            CHECK(group_of_panel(panel) == &group);
            placed.push_back(panel);
        }
    }
    CHECK(std::ranges::is_permutation(placed, panel_names()));
    CHECK(group_of_panel("Selection") == nullptr);
    CHECK(group_of_panel(kFirstPanel)->title() == "Hot");
}
