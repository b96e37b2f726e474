// What the host did while a GPU was idle: the story of one gap.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/gaps.h"

namespace lanescope {

// A call of the thread that launched the activity after the gap.
struct GapCall {
    SliceRef slice;
    Nanos inside = 0;  // its time in the gap
};

struct GapStory {
    IdleGap gap;
    std::size_t place = 0;  // among `count` gaps, the longest is 0
    std::size_t count = 0;
    // The innermost operator, module or annotation that covers at least half of the gap; if none
    // does, the one that most of it lies in.
    GapCall around;
    std::vector<GapCall> calls;  // runtime calls in the gap, the longest first; a few
    std::vector<GapCall> chain;  // what encloses `around` and covers half too, outermost first
    Nanos device_busy = 0;       // of the gap's device
    Nanos device_span = 0;
};

// The gaps in which nothing at all ran on a GPU, the longest first; of files whose streams are not
// recorded too.
std::vector<IdleGap> device_gaps(const TraceContext& context, const TableQuery& query);

// `gaps` as device_gaps() gives them, `place` one of them.
GapStory gap_story(const TraceContext& context, const std::vector<IdleGap>& gaps,
                   std::size_t place);

// "Gap 1 of 214, GPU 0: 10.03 s in aten::cudnn_convolution: cudaFree 6.01 s, …".
std::string gap_line(const Trace& trace, const GapStory& story);

}  // namespace lanescope
