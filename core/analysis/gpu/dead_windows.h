// Dead windows: time inside an operator or annotation during which none of its callees runs. In
// some of them the thread waits, for autograd's thread or in a synchronising call; the others are
// dead.
#pragma once

#include "core/analysis/context.h"
#include "core/analysis/gpu/window_kinds.h"
#include "core/base/column.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct DeadWindowTableRow> kDeadWindowsTable;
extern const TableOf<struct DeadWindowParentTableRow> kDeadWindowsByParentTable;

inline constexpr Nanos kShortestDeadWindow = 1000;

// Compact, because there may be as many as calls: all slices are in one lane, stored once.
struct DeadWindow {
    TimeRange range;  // cut to the query's
    LaneId lane = 0;
    uint32_t parent_index = 0;
    uint32_t after_index = SliceRef::no_index;
    uint32_t before_index = SliceRef::no_index;
    WindowWait wait;  // refers to the whole window, even if the range clips it

    bool is_dead() const { return wait.kind == WindowWait::Kind::nothing || is_uncertain(); }
    bool is_uncertain() const { return wait.kind == WindowWait::Kind::perhaps_autograd; }
    SliceRef parent() const { return {lane, parent_index}; }
    // The call before the window; none: the window starts with the parent.
    SliceRef after() const { return at(after_index); }
    // The call after the window; none: the window ends with the parent.
    SliceRef before() const { return at(before_index); }

  private:
    SliceRef at(uint32_t index) const {
        return index == SliceRef::no_index ? SliceRef{} : SliceRef{lane, index};
    }
};

// Sorted by thread, then by end of the window. Only parents with callees have windows: a call
// without callees is work.
Column<DeadWindow> dead_windows(const TraceContext& context, const TableQuery& query);

// The dead windows of the whole trace.
struct AllDeadWindows {
    Column<DeadWindow> rows;

    static AllDeadWindows compute(const TraceContext& context);
};

Table dead_windows_table(const TraceContext& context, const TableQuery& query);
Table dead_windows_by_parent_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
