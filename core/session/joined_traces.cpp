#include "core/session/joined_traces.h"

#include <utility>

#include "core/session/part_names.h"

namespace lanescope {

Result<AlignedTrace> join_aligned(const std::vector<TracePtr>& traces,
                                  const std::string& alignment) {
    if (traces.size() == 1) return AlignedTrace{{traces.front(), traces}, {}};
    Alignment by;
    if (!alignment.empty()) {
        const Result<Alignment> parsed = parse_alignment(alignment);
        if (!parsed) return parsed.error();
        by = *parsed;
    }
    const Result<Aligned> aligned = align_traces(traces, by);
    if (!aligned) return aligned.error();
    Result<JoinedTrace> joined = join_traces(named_parts(traces, aligned->offsets));
    if (!joined) return joined.error();
    by.by = aligned->by;
    return AlignedTrace{std::move(*joined), std::move(by)};
}

}  // namespace lanescope
