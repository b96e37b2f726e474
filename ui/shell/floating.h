// What floats over the timeline: messages and hover card.
#pragma once

#include <string>
#include <vector>

#include "ui/shell/theme.h"
#include "ui/timeline/timeline.h"

namespace lanescope {

enum class ToastAnswer { none, held, dismissed };
// A message near the lower edge. Held while the pointer is over it; a click dismisses it.
ToastAnswer draw_toast(const std::string& message, const Look& look);
// What is under the pointer: name, duration, self time, and the facts that matter for its kind.
struct HoverLine {
    std::string label;
    std::string value;
};
struct HoverCard {
    std::string name;
    std::string kind;  // empty: there is nothing to tell
    std::vector<HoverLine> lines;
};
HoverCard hover_card(const Timeline& timeline);
void draw_hover_card(const Timeline& timeline, const Look& look);

}  // namespace lanescope
