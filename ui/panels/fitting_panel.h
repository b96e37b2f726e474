// Which table of a trace tells most, to stand in front before anybody chose one.
#pragma once

#include <string_view>

#include "core/trace/trace.h"

namespace lanescope {

// Titles of panels, as panel_names() has them.
inline constexpr std::string_view kFirstTable = "Kernels";
// Kernels where anything ran on a GPU, else operators, samples, or slices, in that order.
std::string_view fitting_panel(const Trace& trace);

}  // namespace lanescope
