// Landmarks: the few places of a trace that its summary tells of, to be marked on the overview.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/summary.h"

namespace lanescope {

enum class LandmarkKind : uint8_t {
    idle_gap,     // of a GPU: the longest few of each
    dead_window,  // the longest few
    odd_step,     // takes much longer, or shorter, than the others
    memory_peak,  // of a GPU
};
// "idle gap"; for people too.
std::string_view landmark_kind_name(LandmarkKind kind);

struct Landmark {
    LandmarkKind kind = LandmarkKind::idle_gap;
    TimeRange time;    // without length: a moment
    SliceRef slice;    // what it is about; none: there is none
    std::string text;  // a line that tells it
};

// By begin. Gaps and windows that are too short to be seen beside all of the trace are left out.
std::vector<Landmark> find_landmarks(const TraceContext& context, const Summary& summary);

}  // namespace lanescope
