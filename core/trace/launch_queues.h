// Launch queues: how much work stands launched on a stream and has not begun.
#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/trace.h"

namespace lanescope {

// The length holds from its time to the next point.
struct QueuePoint {
    Nanos time = 0;
    int64_t length = 0;
};

// A point for each launch (+1) and each begin on the GPU (-1), by time; at one time begins first.
// Times in any order.
std::vector<QueuePoint> queue_curve(std::vector<Nanos> launches, std::vector<Nanos> begins);

// Adds to each stream of which a launch is in the file the curve of its queue: a counter lane with
// the process and tid of the stream, behind all lanes of the file, marked as derived.
void add_launch_queues(Trace& trace);
// The stream that a derived lane is the queue of; null of any other lane.
const Lane* stream_of_queue(const Trace& trace, const Lane& queue);

}  // namespace lanescope
