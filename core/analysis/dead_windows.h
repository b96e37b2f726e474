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

// There can be as many as calls: all slices are of one lane, which stands here once.
struct DeadWindow {
    TimeRange range;  // cut to the query's
    LaneId lane = 0;
    uint32_t parent_index = 0;
    uint32_t after_index = SliceRef::no_index;
    uint32_t before_index = SliceRef::no_index;

    SliceRef parent() const { return {lane, parent_index}; }
    // The call that ran before it; none: the parent has just begun.
    SliceRef after() const { return at(after_index); }
    // The call that runs behind it; none: the parent is about to end.
    SliceRef before() const { return at(before_index); }

  private:
    SliceRef at(uint32_t index) const {
        return index == SliceRef::no_index ? SliceRef{} : SliceRef{lane, index};
    }
};

// In the order of the threads, and of the ends of windows in each. Of parents that call something:
// one without calls below is work, not a window.
Column<DeadWindow> dead_windows(const TraceContext& context, const TableQuery& query);

Table dead_windows_table(const TraceContext& context, const TableQuery& query);
Table dead_windows_by_parent_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
