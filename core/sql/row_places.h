// The places on the timeline to which the rows of a query lead.
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
    std::string name;  // as the column `trace` has it
    TracePtr trace;
    std::shared_ptr<const SliceRows> slices;  // of `trace`
};

// Returns the same table with rows that lead to a place:
// - A row with `slice_id` leads to that slice. A row with `id` does so too if it also has `ts` or
//   `name`, because other tables than `slice` have ids. The slice must agree with the row's `ts`,
//   `dur` and `name`.
// - Any other row leads to the range that begins at `ts` and is `dur` long, if the range is in the
//   trace. A row without `dur`, or with a `dur` of 0, leads to 10 µs around `ts`.
// `ts` and `dur` are in ns. Our own tables have `start_ns` (from the trace's origin) and
// `duration_ns` instead. With several traces, the column `trace` names the row's trace.
Table with_row_places(Table table, std::vector<QueriedTrace> traces);

}  // namespace lanescope
