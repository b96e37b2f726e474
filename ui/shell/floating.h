// What floats over the timeline: legend and hover card.
#pragma once

#include "ui/shell/theme.h"
#include "ui/timeline/timeline.h"

namespace lanescope {

void draw_legend(bool& shown, const Look& look);
// What is under the pointer: name, duration, self time, and the facts that matter for its kind.
void draw_hover_card(const Timeline& timeline, const Look& look);

}  // namespace lanescope
