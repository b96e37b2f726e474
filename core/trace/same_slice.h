// Where a lane and a slice of one snapshot of a recording are in another, or in the whole trace.
#pragma once

#include <optional>

#include "core/trace/trace.h"

namespace lanescope {

// By process, kind, tid and name.
std::optional<LaneId> same_lane(const Trace& from, LaneId lane, const Trace& to);

// By its lane, its time and its place in the file. Clocks may be measured better by the end of a
// recording: the time may differ by `tolerance`. Nothing when it is not there.
SliceRef same_slice(const Trace& from, SliceRef slice, const Trace& to, Nanos tolerance = 0);

}  // namespace lanescope
