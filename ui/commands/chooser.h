// Chooser: the palette, together with what its lines do.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ui/commands/command_palette.h"

namespace lanescope {

// A line of the palette, and what choosing it does.
struct Choice {
    PaletteLine line;
    std::function<void()> choose;
};

class Chooser {
  public:
    // Shows these lines, in this order while nothing is typed.
    void open(std::string hint, std::vector<Choice> choices);
    bool shown() const { return palette_.shown(); }
    void draw(const Look& look);
    const CommandPalette& palette() const { return palette_; }

  private:
    CommandPalette palette_;
    std::vector<Choice> choices_;
};

}  // namespace lanescope
