// Several traces as one: the lanes of one file under those of the other, on one clock. The slices
// stay where they are; only times that are shifted are written anew.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/trace/trace.h"

namespace lanescope {

struct JoinPart {
    // As it was loaded, or the same part of an earlier join.
    TracePtr trace;
    Nanos offset = 0;  // to add to the times of its file
    std::string name;  // TracePart::name; no two alike
};

struct JoinedTrace {
    TracePtr whole;
    // The same by part: what is asked of one file alone. Slices, lanes, processes, texts and times
    // are as in `whole`; side tables, links, devices, warnings and facts are the part's own.
    std::vector<TracePtr> parts;
};

// Each part must have been loaded with the vocabulary of another of them (LoadOptions). Launches
// and flows never lead from one part to another. Errors: no parts, or texts that do not agree.
Result<JoinedTrace> join_traces(const std::vector<JoinPart>& parts);

// The part that a lane belongs to; 0 in a trace of one file.
inline uint32_t part_of(const Trace& trace, LaneId lane) {
    return trace.processes[trace.lanes[lane].process].part;
}

// What the times of a trace of one part were shifted by.
inline Nanos shift_of(const Trace& trace) {
    return trace.only_part == kNoRow ? 0 : trace.parts[trace.only_part].offset;
}

// From the first event of its file to the last end.
inline TimeRange file_span(const Trace& trace) {
    return trace.only_part == kNoRow ? TimeRange{trace.origin, trace.end}
                                     : trace.parts[trace.only_part].span;
}

}  // namespace lanescope
