// How the time of each GPU divides into computing, communication, copies and idle time.
#pragma once

#include <optional>
#include <span>

#include "core/analysis/context.h"
#include "core/analysis/structure/gpu_work.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct BreakdownTableRow> kBreakdownTable;
extern const TableOf<struct BreakdownTableRow> kBreakdownByTraceLensTable;

// The class of memory sets: HTA counts them as memory, TraceLens as computing.
enum class SetsAre : uint8_t { memory, compute };

// Lengths of unions of time; busy = compute + exposed communication + exposed memory, span = busy +
// idle.
struct TimeBreakdown {
    Nanos span = 0;  // from the first start to the last end
    Nanos busy = 0;
    Nanos idle = 0;
    Nanos compute = 0;
    Nanos communication = 0;
    Nanos memory = 0;
    Nanos exposed_communication = 0;  // while nothing computes
    Nanos exposed_memory = 0;         // while nothing computes or communicates
    Nanos overlapped_communication = 0;
    Nanos idle_in_overhead = 0;  // part of `idle` in which the profiler itself worked

    // The fraction of communication during which something computed, as HTA defines it. Empty
    // without communication.
    std::optional<double> overlap() const;
};

// `range` clips the span and all unions of time. `overhead`: the profiler's.
TimeBreakdown break_down(std::span<const GpuWork> work, SetsAre sets,
                         std::optional<TimeRange> range = {}, const Intervals& overhead = {});

Table breakdown_table(const TraceContext& context, const TableQuery& query);
Table breakdown_by_tracelens_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
