// Gaps at the begin or the end of a recording, which the profiler makes when it starts or stops.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/nanos.h"
#include "core/trace/trace.h"

namespace lanescope {

class TraceContext;

// The longest idle gap of a device in a trace with at most one step, if it is longer than the rest
// of the device's span, if hardly any work lies on its outer side, and if the step does not account
// for it: the step does not cover it, or the work behind it had been launched long before. A gap that
// the program explains is none: a host function that the GPU waits for, or a Python function or
// operator that runs on the launching thread for half of the gap.
struct RecordingEdge {
    TimeRange range;
    uint64_t activities = 0;  // GPU work on its outer side
    Nanos busy = 0;           // their time
    bool at_begin = false;
    bool is_covered = false;  // by the step, or there is no step
    // The time that remains of `time` without the gap and what lies on its outer side.
    TimeRange rest_of(TimeRange time) const;
};

struct RecordingEdges {
    std::vector<std::optional<RecordingEdge>> of_device;  // like GpuDevices::all

    static RecordingEdges compute(const TraceContext& context);
};

}  // namespace lanescope
