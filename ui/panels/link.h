// A text that leads to a place on the timeline when it is clicked.
#pragma once

#include <string_view>

#include "ui/look/theme.h"

namespace lanescope {

inline constexpr float kLinkHeight = 18;

// Draws one line of height kLinkHeight at `at`, cut to `width`; true if it was clicked. Leaves the
// cursor after it.
bool draw_link(const Look& look, ImVec2 at, const char* id, std::string_view text, float width,
               ImFont* font);

}  // namespace lanescope
