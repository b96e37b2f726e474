// Launch queues: how many activities have been launched on a stream and have not begun.
#pragma once

#include <cstdint>
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

// For each stream with launches in the file, adds the curve of its launch queue: a derived counter
// lane with the stream's process and tid, after all lanes of the file.
void add_launch_queues(Trace& trace);
// The stream whose launch queue this lane shows; null for any other lane.
const Lane* stream_of_queue(const Trace& trace, const Lane& queue);

}  // namespace lanescope
