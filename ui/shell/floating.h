// Floats over the timeline: messages and the hover card.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/shell/theme.h"
#include "ui/timeline/timeline.h"

namespace lanescope {

enum class ToastAnswer { none, held, dismissed };
// A message near the lower edge. Stays while the pointer is over it; a click dismisses it.
ToastAnswer draw_toast(const std::string& message, const Look& look);
// Opens a popup of Dear ImGui: for the keyboard at a place, with its first line chosen; otherwise
// at the pointer.
void open_popup(const char* name, const std::optional<ImVec2>& at);
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
