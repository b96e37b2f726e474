// The times in which programs captured a stream into a CUDA or HIP graph.
#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/trace.h"

namespace lanescope {

struct StreamCapture {
    TimeRange range;
    uint32_t process = 0;  // that captures
    LaneId lane = 0;       // the thread that began the capture
};

// By begin. A capture lasts from the call that begins it to the next call of its process that
// begins or ends a capture; without such a call, to the end of time.
std::vector<StreamCapture> stream_captures(const Trace& trace);

}  // namespace lanescope
