// Texts in SVG.
#pragma once

#include <string>
#include <string_view>

#include "core/view/color.h"

namespace lanescope {

// Escapes text for elements and attributes; control characters become spaces.
std::string svg_escaped(std::string_view text);
// "#5aa2ff".
std::string svg_color(Color color);

}  // namespace lanescope
