// TabList: a button at the end of a row of tabs that does not have space for all of them; it lists
// the tabs.
#pragma once

#include <imgui.h>

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ui/look/theme.h"

struct ImGuiDockNode;

namespace lanescope {

class TabList {
  public:
    // Adds the buttons to rows of tabs that need one, and draws the open list. Returns the chosen
    // panel. Call it after the dock space and the panels.
    std::optional<std::string> draw(std::span<const std::string_view> panels, const Look& look);

    // For tests: the centre of the last drawn button, if any, and of each line of the open list.
    struct Line {
        std::string panel;
        ImVec2 middle;
    };
    const std::optional<ImVec2>& button() const { return button_; }
    const std::vector<Line>& lines() const { return lines_; }

  private:
    void add_button(ImGuiDockNode& node, const Look& look);
    void show_front_tab(ImGuiDockNode& node);
    std::optional<std::string> draw_list(std::span<const std::string_view> panels);

    std::map<ImGuiID, ImGuiID> in_front_;  // the tab that was scrolled to, by dock node
    ImGuiID of_ = 0;                       // the dock node whose tabs are listed
    ImVec2 corner_;                        // position of the list: the end of the row
    bool above_ = false;
    bool wanted_ = false;
    std::optional<ImVec2> button_;
    std::vector<Line> lines_;
};

}  // namespace lanescope
