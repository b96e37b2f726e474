// ColumnKeys: the columns of a panel's table without a mouse. One is chosen and marked at its head;
// commands make it wider or narrower, move, hide and sort it, and a menu tells of all of them.
#pragma once

#include <imgui.h>

#include <functional>
#include <string>
#include <string_view>

#include "ui/shell/keys.h"
#include "ui/shell/theme.h"

struct ImGuiTable;

namespace lanescope {

class ColumnKeys {
  public:
    // Whether that panel has drawn a table with columns that can be changed.
    static bool has_table(std::string_view panel);
    // Carries a command of the group "Columns" out on the table of the panel.
    void act(Action action, std::string_view panel);
    bool on() const { return table_ != 0; }
    void leave();
    // Once a frame, when the panels were drawn: the mark and the menu; `requests` takes what is
    // chosen from it.
    void draw(const KeyMap& keys, const Look& look, const std::function<void(Action)>& request);

    // The head of the chosen column; empty: none is chosen.
    std::string chosen() const;

  private:
    ImGuiTable* table() const;  // null: it is not drawn any more
    void step(const ImGuiTable& table, int by);
    void draw_items(ImGuiTable& table, const KeyMap& keys,
                    const std::function<void(Action)>& request) const;

    ImGuiID table_ = 0;
    int column_ = -1;
    bool menu_wanted_ = false;
    bool reveal_ = false;  // the chosen one may be out of view
};

}  // namespace lanescope
