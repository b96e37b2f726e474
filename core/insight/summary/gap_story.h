// What happened during an idle gap of a GPU: what the host was doing, its calls, and the work
// before and after. Window, command line and JSON all show this. (As a sentence:
// core/export/words/gap_sentence.h.)
#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/gpu/gaps.h"

namespace lanescope {

// A call on the thread that launched the activity after the gap.
struct GapCall {
    SliceRef slice;
    Nanos inside = 0;  // its time in the gap
};

// Runtime calls of one name in a gap.
struct GapCalls {
    StringId name = 0;
    uint64_t count = 0;
    Nanos total = 0;               // in the gap
    std::vector<GapCall> longest;  // at most two, longest first
    // The longest call took at least 10 ms and launched the first kernel of its name in the file.
    bool loads_kernel = false;
};

// What a host thread did during a gap.
struct GapThread {
    LaneId lane = 0;
    // The innermost slice that covers half of the gap, but no annotation or Python frame that is
    // more than five times as long; none: nothing is recorded.
    GapCall call;
    SliceRef op;            // the innermost operator around a runtime call
    bool outlasts = false;  // it ends after the gap
};

struct GapStory {
    IdleGap gap;
    // The innermost operator, module, annotation or collective that covers at least half of the
    // gap. All but operators must also be at most five times as long as the gap: a longer one does
    // not explain it. Otherwise the one that covers most of the gap, if that is at least a quarter.
    GapCall around;
    std::vector<GapCall> chain;  // its ancestors that also cover half, outermost first
    SliceRef frame;              // innermost Python frame inside `around` that covers half
    // The outermost operators around the launches of the activities before and after the gap; none:
    // unknown.
    SliceRef op_before;
    SliceRef op_after;
    std::vector<GapCalls> calls;  // of the launching thread, at least 5 % of the gap, longest first
    // Only if the file does not record what the next activity waited for although it had been
    // launched (GapCause::graph): the threads of the process that launched it, by lane; without
    // those that do nothing, except the launching one.
    std::vector<GapThread> threads;
};

// The gaps during which nothing ran on a GPU, longest first; also for files that do not record
// streams.
std::vector<IdleGap> device_gaps(const TraceContext& context, const TableQuery& query);

GapStory gap_story(const TraceContext& context, const IdleGap& gap);

// One gap in a walk from the longest to the shortest.
struct WalkedGap {
    GapStory story;
    std::size_t place = 0;  // index among `count` gaps; the longest is 0
    std::size_t count = 0;
    Nanos device_busy = 0;  // of the gap's device
    Nanos device_span = 0;
};
WalkedGap walk_to(const TraceContext& context, const std::vector<IdleGap>& gaps, std::size_t place);

}  // namespace lanescope
