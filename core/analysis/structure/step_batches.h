// The batch of each step of a server, from the engine's annotation.
#pragma once

#include <vector>

#include "core/models/batch_label.h"
#include "core/trace/trace.h"

namespace lanescope {

class TraceContext;

struct StepBatches {
    // Parallel to Steps::all. Unknown if the step's annotation states no batch, or if the step has
    // several batches.
    std::vector<BatchLabel> all;
    bool any = false;  // whether the phase of any step is known

    static StepBatches compute(const TraceContext& context);
};

// The outermost annotations of a thread that state a batch, sorted by start. An annotation inside
// another annotation completes the other's statement.
struct BatchMark {
    uint32_t slice = 0;
    BatchLabel label;
};
// For each process, the thread with the most such annotations. Omits processes without any.
struct BatchMarks {
    LaneId lane = 0;
    std::vector<BatchMark> marks;
};
std::vector<BatchMarks> batch_marks(const Trace& trace);

}  // namespace lanescope
