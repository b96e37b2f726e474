// What a colour mode says where a trace gives it nothing to colour.
#pragma once

#include <string_view>

#include "core/view/slice_classes.h"

namespace lanescope {

// Why a mode that tells of GPU work colours none of it, and what to do; empty where it colours some
// or there is no such work. Of counted classes.
std::string_view why_no_color(const SliceClasses& classes);

}  // namespace lanescope
