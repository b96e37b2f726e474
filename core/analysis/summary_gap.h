// What lies in an idle gap: the operator and the calls that the GPU waited for.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/gaps.h"

namespace lanescope {

// Calls of one name in a gap, cut to it.
struct GapCalls {
    StringId name = 0;
    uint64_t count = 0;
    Nanos total = 0;
    std::vector<SliceRef> longest;  // two at most, the longest first
    // The longest took 10 ms or more and launched the first kernel of its name in the file.
    bool loads_kernel = false;
};

struct SummaryGap {
    IdleGap gap;
    // Innermost operator or annotation that covers half of the gap, and innermost Python frame in
    // that. None: there is none, or it is over five times as long and not what the gap came from.
    SliceRef op;
    SliceRef frame;
    Nanos op_time = 0;            // of the operator or annotation in the gap
    SliceRef op_before;           // outermost operators around the launches of the activity before
    SliceRef op_after;            // and of the one behind; none: not known
    std::vector<GapCalls> calls;  // of the launching thread that take 5 % of it, the longest first
};

SummaryGap look_into(const TraceContext& context, const IdleGap& gap);

}  // namespace lanescope
