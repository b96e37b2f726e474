// A place on the timeline as a text that can be clicked.
#pragma once

#include <string_view>

#include "ui/shell/theme.h"

namespace lanescope {

inline constexpr float kLinkHeight = 18;

// Drawn at `at`, cut to `width`, one line of kLinkHeight high; true when it was clicked. The cursor
// is left after it.
bool draw_link(const Look& look, ImVec2 at, const char* id, std::string_view text, float width,
               ImFont* font);

}  // namespace lanescope
