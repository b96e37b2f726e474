// The explanation if a colour mode has nothing to colour in a trace.
#pragma once

#include <string_view>

#include "core/view/slice_classes.h"

namespace lanescope {

// Why a mode for GPU work colours none of it, and what to do about it; empty if the mode colours
// some, or if there is no such work. Requires counted classes.
std::string_view why_no_color(const SliceClasses& classes);

}  // namespace lanescope
