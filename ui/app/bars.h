// The bars at the top and bottom, and the dock space between them.
#pragma once

#include "ui/app/features.h"
#include "ui/app/window_files.h"

namespace lanescope {

void draw_bars(Features& features, const WindowFiles& files, Frame& frame);

// Draws into the current window.
void draw_top_bar(Features& features, const WindowFiles& files, Frame& frame);
void draw_status_bar(Frame& frame);

inline constexpr float kTopBar = 40;  // heights at scale 1
inline constexpr float kStatusBar = 24;

}  // namespace lanescope
