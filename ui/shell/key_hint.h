// What the keys do now, beside what they do it to.
#pragma once

#include <imgui.h>

#include <string>

#include "ui/shell/theme.h"

namespace lanescope {

// Above everything, around `middle` as far as the window has room.
void draw_key_hint(const std::string& words, ImVec2 middle, const Look& look);

}  // namespace lanescope
