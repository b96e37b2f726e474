// ColumnKeys: changes the columns of a panel's table by keys. One column is chosen and marked at
// its title; commands make it wider or narrower, and move, hide and sort it; a menu lists them.
#pragma once

#include <imgui.h>

#include <functional>
#include <string>
#include <string_view>

#include "ui/commands/keys.h"
#include "ui/look/theme.h"

struct ImGuiTable;

namespace lanescope {

class ColumnKeys {
  public:
    // Whether the panel has drawn a table with adjustable columns.
    static bool has_table(std::string_view panel);
    // Executes a command of the group "Columns" on the panel's table.
    void act(Action action, std::string_view panel);
    bool on() const { return table_ != 0; }
    void leave();
    // Once a frame, after the panels: draws the mark and the menu; `requests` receives the choice.
    void draw(const KeyMap& keys, const Look& look, const std::function<void(Action)>& request);

    // The title of the chosen column; empty: none.
    std::string chosen() const;

  private:
    ImGuiTable* table() const;  // null: no longer drawn
    void step(const ImGuiTable& table, int by);
    void draw_items(ImGuiTable& table, const KeyMap& keys,
                    const std::function<void(Action)>& request) const;

    ImGuiID table_ = 0;
    int column_ = -1;
    bool menu_wanted_ = false;
    bool reveal_ = false;  // the chosen column may be out of view
};

}  // namespace lanescope
