// The batch of each step of a server, as the engine's annotation states it.
#pragma once

#include <vector>

#include "core/models/batch_label.h"
#include "core/trace/trace.h"

namespace lanescope {

class TraceContext;

struct StepBatches {
    // Like Steps::all. Nothing is known of a step whose annotation states no batch, and of a step
    // with several batches.
    std::vector<BatchLabel> all;
    bool any = false;  // whether the phase of any step is known

    static StepBatches compute(const TraceContext& context);
};

// The outermost annotations of a thread that state a batch, by begin. An annotation inside another
// one completes what that one states.
struct BatchMark {
    uint32_t slice = 0;
    BatchLabel label;
};
// The thread of each process with most of them; processes without such annotations are left out.
struct BatchMarks {
    LaneId lane = 0;
    std::vector<BatchMark> marks;
};
std::vector<BatchMarks> batch_marks(const Trace& trace);

}  // namespace lanescope
