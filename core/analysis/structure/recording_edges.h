// Idle gaps at the start or end of a recording that the profiler causes when it starts or stops.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/nanos.h"
#include "core/trace/trace.h"

namespace lanescope {

class TraceContext;

// The longest idle gap of a device in a trace with at most one step. Conditions: it is longer than
// the rest of the device's span; hardly any work lies on its outer side; the step does not cover
// it, or the work after it was launched before most of it; and the program does not explain it: no
// host function that the GPU waits for, and no Python function or operator that runs on the
// launching thread for half of the gap.
struct RecordingEdge {
    TimeRange range;          // the gap
    uint64_t activities = 0;  // number of pieces of GPU work on the outer side
    Nanos busy = 0;           // duration of that work
    bool at_begin = false;    // the outer side is before the gap
    bool is_covered = false;  // the step covers the gap, or there is no step
    // `time` without the gap and everything on its outer side.
    TimeRange rest_of(TimeRange time) const;
};

struct RecordingEdges {
    std::vector<std::optional<RecordingEdge>> of_device;  // parallel to GpuDevices::all

    static RecordingEdges compute(const TraceContext& context);
};

}  // namespace lanescope
