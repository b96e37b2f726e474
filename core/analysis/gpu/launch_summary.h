// Distributions of launch latency and of launch calls' durations, for each kind of call.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/statistics/distribution.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct LaunchSummaryTableRow> kLaunchesBySummaryTable;

// HTA's limits for long calls, and for activities that begin late.
inline constexpr Nanos kLongLaunchCall = 50'000;
inline constexpr Nanos kLongLaunchLatency = 100'000;

struct LaunchSummary {
    StringId call = StringPool::none;  // none: all calls together
    Distribution latency;              // of activities
    Distribution duration;             // of calls
    uint64_t negative = 0;             // activities that began before their call ended
    uint64_t short_kernels = 0;        // at most kLongLaunchCall long, and shorter than the call
    uint64_t long_calls = 0;           // activities whose call took longer than kLongLaunchCall
    uint64_t late = 0;                 // activities with a latency over kLongLaunchLatency
    SliceRef latest;                   // the call with the longest latency
};

// First all calls together, then each kind, most frequent first; empty without launches.
std::vector<LaunchSummary> launch_summaries(const TraceContext& context, const TableQuery& query);

Table launches_by_summary_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
