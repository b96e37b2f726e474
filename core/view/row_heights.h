// The heights of rows where few lanes leave room.
#pragma once

#include "core/trace/trace.h"
#include "core/view/lane_arrangement.h"
#include "core/view/lane_layout.h"
#include "core/view/shown_lanes.h"

namespace lanescope {

// Rows of slices and curves at most this much higher than usual still look like rows.
inline constexpr double kMostStretch = 1.6;

// The measures with higher rows for slices and curves, up to kMostStretch, if the lanes with all
// their rows, pinned ones included, need less than `room`.
Measures stretched(const Measures& measures, const Trace& trace, const LaneArrangement& arrangement,
                   const ShownLanesPtr& shown, double room);

}  // namespace lanescope
