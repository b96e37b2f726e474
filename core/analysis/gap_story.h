// What happened in an idle gap of a GPU: what the host was in, its calls, and the work around it.
// Window, command line and JSON all tell this. (As a sentence: core/export/gap_sentence.h.)
#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/gaps.h"

namespace lanescope {

// A call of the thread that launched the activity after the gap.
struct GapCall {
    SliceRef slice;
    Nanos inside = 0;  // its time in the gap
};

// Runtime calls of one name in a gap.
struct GapCalls {
    StringId name = 0;
    uint64_t count = 0;
    Nanos total = 0;               // in the gap
    std::vector<GapCall> longest;  // two at most, the longest first
    // The longest took 10 ms or more and launched the first kernel of its name in the file.
    bool loads_kernel = false;
};

struct GapStory {
    IdleGap gap;
    // The innermost operator, module, annotation or collective that covers half of the gap; one
    // that is no operator only where it is at most five times as long, else it is not what the gap
    // came from. Where none does: the one that most of the gap lies in, from a quarter of it on.
    GapCall around;
    std::vector<GapCall> chain;   // what encloses `around` and covers half too, outermost first
    SliceRef frame;               // innermost Python frame that covers half, inside of `around`
    SliceRef op_before;           // outermost operators around the launches of the activity before
    SliceRef op_after;            // and of the one behind; none: not known
    std::vector<GapCalls> calls;  // of the launching thread that take 5 % of it, the longest first
};

// The gaps in which nothing at all ran on a GPU, the longest first; of files whose streams are not
// recorded too.
std::vector<IdleGap> device_gaps(const TraceContext& context, const TableQuery& query);

GapStory gap_story(const TraceContext& context, const IdleGap& gap);

// One of the gaps as the walk from the longest on comes to it.
struct WalkedGap {
    GapStory story;
    std::size_t place = 0;  // among `count` gaps, the longest is 0
    std::size_t count = 0;
    Nanos device_busy = 0;  // of the gap's device
    Nanos device_span = 0;
};
WalkedGap walk_to(const TraceContext& context, const std::vector<IdleGap>& gaps, std::size_t place);

}  // namespace lanescope
