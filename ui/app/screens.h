// Screens in place of the timeline, within [min, max) of the current window: the start, a running
// load, and an error.
#pragma once

#include "ui/frame/frame.h"

namespace lanescope {

void draw_start_screen(ImVec2 min, ImVec2 max, Frame& frame);
void draw_loading(ImVec2 min, ImVec2 max, Frame& frame);
void draw_error(ImVec2 min, ImVec2 max, Frame& frame);

}  // namespace lanescope
