// PanelMover: moves panels by keys. One panel is chosen; arrows dock it on another side, Space
// makes it a window, Tab goes to the next one, Enter or Esc ends.
#pragma once

#include <imgui.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ui/look/theme.h"
#include "ui/workspace/layout_moves.h"

namespace lanescope {

class PanelMover {
  public:
    bool on() const { return !panel_.empty(); }
    const std::string& panel() const { return panel_; }  // the chosen panel; empty: off
    // Chooses the panel after the chosen one; the first panel if none is chosen.
    void next(std::span<const std::string> in_front);
    void leave();
    // Handles a key; returns whether it did. The window handles Tab and chooses the next panel.
    bool take(ImGuiKeyChord pressed);

    struct Step {
        std::optional<Side> side;  // none: into a window of its own, or back from there
        bool shift = false;
    };
    // Called in every frame: shows the chosen panel and, once the panels are ready, returns the
    // next queued move.
    std::optional<Step> draw(bool ready, const Look& look);
    bool waits() const { return !steps_.empty(); }

  private:
    std::string panel_;
    std::vector<Step> steps_;
};

}  // namespace lanescope
