// Dead windows: time inside an operator or annotation in which nothing that it calls runs.
#pragma once

#include "core/analysis/context.h"
#include "core/analysis/table.h"
#include "core/analysis/tables.h"
#include "core/base/column.h"

namespace lanescope {

extern const TableSpec kDeadWindowsTable;
extern const TableSpec kDeadWindowsByParentTable;

inline constexpr Nanos kShortestDeadWindow = 1000;

struct DeadWindow {
    SliceRef parent;
    TimeRange range;  // cut to the query's
    SliceRef after;   // the call that ran before it; none: the parent has just begun
    SliceRef before;  // the call that runs behind it; none: the parent is about to end
};

// In the order of the threads, and of the ends of windows in each. Of parents that call something:
// one without calls below is work, not a window.
Column<DeadWindow> dead_windows(const TraceContext& context, const TableQuery& query);

Table dead_windows_table(const TraceContext& context, const TableQuery& query);
Table dead_windows_by_parent_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
