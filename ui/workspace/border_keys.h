// BorderKeys: resizes panels by keys. One border is chosen; arrows move it, Tab goes to the next
// one, Enter or Esc ends.
#pragma once

#include <imgui.h>

#include <cstddef>
#include <optional>
#include <span>

#include "ui/look/theme.h"
#include "ui/workspace/docking.h"

namespace lanescope {

class BorderKeys {
  public:
    bool on() const { return on_; }
    void next();  // the first one if it was off
    void leave();
    // Returns whether it used the key.
    bool take(ImGuiKeyChord pressed);

    struct Move {
        std::size_t border = 0;
        float by = 0;  // pixels to the right, or down
    };
    // Once a frame, with the present borders: shows the chosen one, and returns what its keys
    // requested.
    std::optional<Move> draw(std::span<const PanelBorder> borders, const Look& look);
    // The chosen border, as drawn; none: off.
    const std::optional<PanelBorder>& shown() const { return shown_; }

  private:
    bool on_ = false;
    std::size_t at_ = 0;
    ImVec2 steps_;  // requested since the last frame, to the right and down
    std::optional<PanelBorder> shown_;
};

}  // namespace lanescope
