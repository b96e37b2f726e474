// BorderKeys: widths and heights of panels without a mouse. One border is chosen, the arrows move
// it, Tab goes to the next one, and Enter or Esc ends it.
#pragma once

#include <imgui.h>

#include <cstddef>
#include <optional>
#include <span>

#include "ui/shell/docking.h"
#include "ui/shell/theme.h"

namespace lanescope {

class BorderKeys {
  public:
    bool on() const { return on_; }
    void next();  // the first one when it was off
    void leave();
    // Whether a key was meant for it.
    bool take(ImGuiKeyChord pressed);

    struct Move {
        std::size_t border = 0;
        float by = 0;  // pixels to the right, or down
    };
    // Once a frame, with the borders that are there: shows the chosen one, and gives what its keys
    // asked for.
    std::optional<Move> draw(std::span<const PanelBorder> borders, const Look& look);
    // That is chosen, as it was drawn; none: off.
    const std::optional<PanelBorder>& shown() const { return shown_; }

  private:
    bool on_ = false;
    std::size_t at_ = 0;
    ImVec2 steps_;  // asked for since the last frame, to the right and down
    std::optional<PanelBorder> shown_;
};

}  // namespace lanescope
