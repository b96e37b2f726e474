// Draws several traces side by side as SVG: vectors, and texts that can be selected.
#pragma once

#include <span>
#include <string>

#include "core/insight/compare/trace_figures.h"
#include "core/view/color.h"

namespace lanescope {

// One row a trace, one column a figure; each row has all facts on its trace as a title.
std::string traces_svg(std::span<const TraceFigures> traces, Theme theme);

}  // namespace lanescope
