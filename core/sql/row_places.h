// The places on the timeline of a query's rows.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/sql/slice_rows.h"
#include "core/table/table.h"
#include "core/trace/trace.h"

namespace lanescope {

// A trace that was queried.
struct QueriedTrace {
    std::string name;  // in the column `trace`
    TracePtr trace;
    std::shared_ptr<const SliceRows> slices;  // of `trace`
};

// The same table with rows that lead to a place. A row leads to the slice of its `slice_id`, or of
// its `id` if that is the id of a slice: the slice must agree with the row's `ts`, `dur` and
// `name`, and the row must have a `ts` or a `name`, because other tables have ids too. Any other
// row leads to the time from `ts` on for `dur`, if that is a time of the trace; a row without
// `dur`, or with 0, to 10 µs around `ts`. Our own tables have `start_ns` (from the trace's origin)
// and `duration_ns` instead. With several traces, the row's column `trace` names its trace.
Table with_row_places(Table table, std::vector<QueriedTrace> traces);

}  // namespace lanescope
