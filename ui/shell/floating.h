// What floats over the timeline: messages and hover card.
#pragma once

#include <string>

#include "ui/shell/theme.h"
#include "ui/timeline/timeline.h"

namespace lanescope {

enum class ToastAnswer { none, held, dismissed };
// A message near the lower edge. Held while the pointer is over it; a click dismisses it.
ToastAnswer draw_toast(const std::string& message, const Look& look);
// What is under the pointer: name, duration, self time, and the facts that matter for its kind.
void draw_hover_card(const Timeline& timeline, const Look& look);

}  // namespace lanescope
