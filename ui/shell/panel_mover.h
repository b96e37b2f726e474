// PanelMover: where panels stand, without a mouse. One panel is chosen; the arrows dock it at
// another side, Space makes it a window of its own, Tab goes to the next one, and Enter or Esc ends
// it.
#pragma once

#include <imgui.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ui/shell/layout_moves.h"
#include "ui/shell/theme.h"

namespace lanescope {

class PanelMover {
  public:
    bool on() const { return !panel_.empty(); }
    const std::string& panel() const { return panel_; }  // that is chosen; empty: off
    // The one behind the chosen one; the first when it was off.
    void next(std::span<const std::string> in_front);
    void leave();
    // Whether a key was meant for it. Tab is not: which panel is next, the window knows.
    bool take(ImGuiKeyChord pressed);

    struct Step {
        std::optional<Side> side;  // none: into a window of its own, or back
        bool shift = false;
    };
    // Once a frame: shows what is chosen, and gives the next thing that its keys asked for once the
    // panels are ready for it.
    std::optional<Step> draw(bool ready, const Look& look);
    bool waits() const { return !steps_.empty(); }

  private:
    std::string panel_;
    std::vector<Step> steps_;
};

}  // namespace lanescope
