// The legend: the meaning of colours, the number of slices of each, and a filter by them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/look/theme.h"
#include "ui/timeline/timeline.h"

namespace lanescope {

class Legend {
  public:
    // A click on a class, or Enter with the arrow keys, chooses it alone; with Shift in addition.
    void draw(Timeline& timeline, const Look& look, bool shown);

    // For tests: the legend's positions in the last frame.
    struct Line {
        std::string name;
        Slot slot = 0;
        ImVec2 middle;
    };
    const std::vector<Line>& lines() const { return lines_; }
    ImVec2 mode_place() const { return mode_place_; }

  private:
    void draw_classes(Timeline& timeline, const Look& look);
    void draw_class(Timeline& timeline, Slot slot, const Look& look);
    void draw_filter(Timeline& timeline, const Look& look);

    std::vector<Line> lines_;
    ImVec2 mode_place_;  // of the button that chooses between dimmed and hidden
};

// "GPU kernels", "3 classes": what the legend's filter shows; empty if it is off.
std::string chosen_classes(const Timeline& timeline);

}  // namespace lanescope
