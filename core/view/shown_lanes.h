// The visible slices of lanes. Without Python frames, or without slices that are too short, a lane
// is nested again, so that the remaining slices leave no empty rows.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/trace/trace.h"

namespace lanescope {

enum class PythonShown : uint8_t {
    all,
    modules,  // only calls of nn.Module
    none,
    own,  // modules, and frames of the user's program
};
// "all", "modules", "none" or "own".
std::string_view python_shown_name(PythonShown shown);

struct LaneFilter {
    static constexpr Nanos kShort = 1000;

    PythonShown python = PythonShown::all;
    bool hide_short = false;  // slices shorter than kShort

    bool shows_all() const { return python == PythonShown::all && !hide_short; }
    friend bool operator==(const LaneFilter&, const LaneFilter&) = default;
};

// Returns `filter`, changed as little as possible so that it shows the slice.
LaneFilter filter_that_shows(LaneFilter filter, const Trace& trace, SliceRef slice);

// A lane without its hidden slices.
struct ShownLane {
    static constexpr uint32_t hidden = ~uint32_t{0};

    Lane lane;
    std::vector<uint32_t> to_trace;  // by index in `lane`: the index in the trace's lane
    // By the trace's index: the index in `lane`; hidden: not shown.
    std::vector<uint32_t> from_trace;
};

struct ShownLanes {
    LaneFilter filter;
    std::vector<std::unique_ptr<const ShownLane>> lanes;  // by lane; null: shown completely
};
using ShownLanesPtr = std::shared_ptr<const ShownLanes>;  // null: everything is shown

// Linear in the number of slices, and n log n for lanes that change: too slow for a frame. Null if
// the filter shows everything.
ShownLanesPtr filter_lanes(const Trace& trace, LaneFilter filter);

// The visible part of a lane.
const Lane& shown_lane(const Trace& trace, const ShownLanesPtr& shown, LaneId lane);
// The depth at which a slice is shown, or ShownLane::hidden.
uint32_t shown_depth(const Trace& trace, const ShownLanesPtr& shown, SliceRef slice);

}  // namespace lanescope
