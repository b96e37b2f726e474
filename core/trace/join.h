// Joins several traces into one: lanes of all files below each other, on one clock. The slices are
// shared with the parts; only shifted times are copied.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/trace/trace.h"

namespace lanescope {

struct JoinPart {
    // As loaded, or as returned for this part by an earlier join.
    TracePtr trace;
    Nanos offset = 0;  // added to the times of the part's file
    std::string name;  // TracePart::name; unique among the parts
};

struct JoinedTrace {
    TracePtr whole;
    // One trace for each part, for analyses of a single file. Slices, lanes, processes, texts and
    // times are those of `whole`; side tables, links, devices, warnings and facts are the part's
    // own.
    std::vector<TracePtr> parts;
};

// Each part must have been loaded with the vocabulary of another part (LoadOptions). Launches and
// flows never lead from one part to another. Errors: no parts, or vocabularies that disagree.
Result<JoinedTrace> join_traces(const std::vector<JoinPart>& parts);

// The part that a lane belongs to; 0 in a trace of one file.
inline uint32_t part_of(const Trace& trace, LaneId lane) {
    return trace.processes[trace.lanes[lane].process].part;
}

// The time by which a trace of one part was shifted.
inline Nanos shift_of(const Trace& trace) {
    return trace.only_part == kNoRow ? 0 : trace.parts[trace.only_part].offset;
}

// From the first event of the trace's file to the last end.
inline TimeRange file_span(const Trace& trace) {
    return trace.only_part == kNoRow ? TimeRange{trace.origin, trace.end}
                                     : trace.parts[trace.only_part].span;
}

}  // namespace lanescope
