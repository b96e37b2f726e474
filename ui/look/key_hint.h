// Shows what keys do in the present mode, beside the thing that they act on.
#pragma once

#include <imgui.h>

#include <string>

#include "ui/look/theme.h"

namespace lanescope {

// Above everything else, around `middle` as far as the window permits.
void draw_key_hint(const std::string& words, ImVec2 middle, const Look& look);

}  // namespace lanescope
