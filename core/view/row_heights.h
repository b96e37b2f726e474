// Row heights when few lanes leave free space.
#pragma once

#include "core/trace/trace.h"
#include "core/view/lane_arrangement.h"
#include "core/view/lane_layout.h"
#include "core/view/shown_lanes.h"

namespace lanescope {

// Maximum stretch at which rows of slices and curves still look like rows.
inline constexpr double kMostStretch = 1.6;

// Measures with taller rows for slices and curves, by at most kMostStretch, if all rows of the
// lanes, including pinned rows, need less than `room`.
Measures stretched(const Measures& measures, const Trace& trace, const LaneArrangement& arrangement,
                   const ShownLanesPtr& shown, double room);

}  // namespace lanescope
