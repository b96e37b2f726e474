// Finds a lane or slice of one snapshot of a recording in another snapshot or in the final trace.
#pragma once

#include <optional>

#include "core/trace/trace.h"

namespace lanescope {

// Matches process, kind, tid and name.
std::optional<LaneId> same_lane(const Trace& from, LaneId lane, const Trace& to);

// Matches lane, time and place in the file. Times may differ by `tolerance`, because clocks may be
// known more precisely at the end of a recording. Empty if there is no match.
SliceRef same_slice(const Trace& from, SliceRef slice, const Trace& to, Nanos tolerance = 0);

}  // namespace lanescope
