// Landmarks: the few places of a trace that its summary mentions, to be marked on the overview.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/insight/findings/rule.h"

namespace lanescope {

enum class LandmarkKind : uint8_t {
    idle_gap,     // the longest idle gaps of each GPU
    dead_window,  // the longest few dead windows, without waiting ones
    odd_step,     // a step much longer or shorter than the others
    memory_peak,  // of a GPU
    finding,      // a place of a finding
};
// "idle gap"; also for display.
std::string_view landmark_kind_name(LandmarkKind kind);

struct Landmark {
    LandmarkKind kind = LandmarkKind::idle_gap;
    TimeRange time;                      // without length: a point in time
    SliceRef slice;                      // the slice concerned; may be empty
    std::string text;                    // one line of text, for display
    Severity severity = Severity::info;  // of a finding
    bool chosen = false;                 // the finding is the chosen one
};

// Sorted by begin. Leaves out gaps and windows that are too short to be seen in a view of the whole
// trace.
std::vector<Landmark> find_landmarks(const TraceContext& context, const Summary& summary);

// Adds the first place of each finding of high and medium severity, and all places of the chosen
// one; `chosen`: in Findings::all.
std::vector<Landmark> with_findings(std::vector<Landmark> marks, const Findings& found,
                                    std::optional<uint32_t> chosen);

}  // namespace lanescope
