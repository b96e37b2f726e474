// The card that describes what is under the pointer.
#pragma once

#include <string>
#include <vector>

namespace lanescope {

struct Look;
struct Timeline;

// What is under the pointer: name, duration, self time, and the most important facts for its kind.
struct HoverLine {
    std::string label;
    std::string value;
};
struct HoverCard {
    std::string name;
    std::string kind;  // empty: nothing to show
    std::vector<HoverLine> lines;
};
HoverCard hover_card(const Timeline& timeline);
void draw_hover_card(const Timeline& timeline, const Look& look);

}  // namespace lanescope
