#include "core/session/joined_traces.h"

#include "core/session/alignment.h"
#include "core/session/part_names.h"

namespace lanescope {

Result<JoinedTrace> join_aligned(const std::vector<TracePtr>& traces,
                                 const std::string& alignment) {
    if (traces.size() == 1) return JoinedTrace{traces.front(), traces};
    Alignment by;
    if (!alignment.empty()) {
        const Result<Alignment> parsed = parse_alignment(alignment);
        if (!parsed) return parsed.error();
        by = *parsed;
    }
    const Result<Aligned> aligned = align_traces(traces, by);
    if (!aligned) return aligned.error();
    return join_traces(named_parts(traces, aligned->offsets));
}

}  // namespace lanescope
