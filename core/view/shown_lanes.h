// Which slices of the lanes are shown: without Python frames, or without slices too short to
// matter, a lane nests anew, so that what is left closes up.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/trace/trace.h"

namespace lanescope {

enum class PythonShown : uint8_t { all, modules, none };  // modules: calls of nn.Module only

struct LaneFilter {
    static constexpr Nanos kShort = 1000;

    PythonShown python = PythonShown::all;
    bool hide_short = false;  // slices shorter than kShort

    bool shows_all() const { return python == PythonShown::all && !hide_short; }
    friend bool operator==(const LaneFilter&, const LaneFilter&) = default;
};

// A lane without its hidden slices.
struct ShownLane {
    static constexpr uint32_t hidden = ~uint32_t{0};

    Lane lane;
    std::vector<uint32_t> to_trace;    // by index in `lane`: the index in the trace's lane
    std::vector<uint32_t> from_trace;  // the other way; hidden: it is not shown
};

struct ShownLanes {
    LaneFilter filter;
    std::vector<std::unique_ptr<const ShownLane>> lanes;  // by lane; null: all of it is shown
};
using ShownLanesPtr = std::shared_ptr<const ShownLanes>;  // null: everything is shown

// Linear in the slices, and n log n in those of lanes that change: not for a frame. Null when the
// filter shows everything.
ShownLanesPtr filter_lanes(const Trace& trace, LaneFilter filter);

// What is shown of a lane.
const Lane& shown_lane(const Trace& trace, const ShownLanesPtr& shown, LaneId lane);
// The depth at which a slice is shown, or ShownLane::hidden.
uint32_t shown_depth(const Trace& trace, const ShownLanesPtr& shown, SliceRef slice);

}  // namespace lanescope
