// Launch queues: how many activities have been launched on a stream and have not begun.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/trace/trace.h"

namespace lanescope {

// The length is valid from this point's time to the next point.
struct QueuePoint {
    Nanos time = 0;
    int64_t length = 0;
};

// One point for each launch (+1) and each start on the GPU (-1), sorted by time; starts precede
// launches of the same time. The arguments need not be sorted.
std::vector<QueuePoint> queue_curve(std::vector<Nanos> launches, std::vector<Nanos> begins);

// The name of a launch queue's lane.
inline constexpr std::string_view kLaunchQueueName = "launch queue";
// For each stream with launches in the file, adds the curve of its launch queue: a derived counter
// lane (derived_lanes.h) with the stream's process and tid, after all lanes of the file.
void add_launch_queues(Trace& trace);

}  // namespace lanescope
