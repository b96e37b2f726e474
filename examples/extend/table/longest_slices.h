// The table "longest": the longest slice of each lane.
#pragma once

#include "core/analysis/context.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct LongestSliceRow> kLongestSlicesTable;

// One row for each lane with a slice in the query's range, in display order. Of equally long slices
// the outermost counts, or else the first.
Table longest_slices_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
