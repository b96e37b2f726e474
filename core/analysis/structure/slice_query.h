// Whether a slice of any lane belongs to the range that a table is computed for.
#pragma once

#include "core/table/query.h"
#include "core/trace/trace.h"

namespace lanescope {

inline bool is_gpu_lane(const Trace& trace, const Lane& lane) {
    return lane.kind == LaneKind::stream || trace.processes[lane.process].is_gpu;
}

// `begin`: of the slice. GPU work counts for the steps that launched it; what else is drawn on a
// GPU's lanes, such as annotations, counts by its time.
inline bool has_slice(const Trace& trace, const TableQuery& query, SliceRef slice, Nanos begin) {
    if (!query.work || !is_gpu_lane(trace, trace.lanes[slice.lane])) return query.has(begin);
    const uint32_t row = find_row(trace.gpu_activities.slice, slice);
    return row == kNoRow ? query.work->time.contains(begin) : query.work->rows[row];
}

}  // namespace lanescope
