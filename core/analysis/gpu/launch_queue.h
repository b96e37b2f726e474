// Tables of launch queues, and their statistics.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/context.h"
#include "core/table/query.h"
#include "core/table/table.h"
#include "core/trace/launch_queues.h"

namespace lanescope {

extern const TableOf<struct StreamQueueTableRow> kLaunchesByStreamTable;
extern const TableOf<struct QueuePointTableRow> kLaunchesByQueueTable;

// The capacity of a stream's queue, as in HTA: the next launch waits.
inline constexpr int64_t kFullQueue = 1024;

struct QueueStatistics {
    // Over the points, as HTA counts; NaN without points.
    uint64_t points = 0;
    double mean = 0;
    double sd = 0;  // with n - 1 in the divisor
    double p25 = 0;
    double p50 = 0;
    double p75 = 0;
    int64_t min = 0;
    int64_t max = 0;
    // From the first point to the last.
    double time_mean = 0;  // NaN if no time is between them
    Nanos full = 0;        // time with kFullQueue launches or more
};

// For the part of a curve within the range.
QueueStatistics queue_statistics(std::span<const QueuePoint> curve,
                                 std::optional<TimeRange> range = std::nullopt);

Table launches_by_stream_table(const TraceContext& context, const TableQuery& query);
// The curves themselves, one row for each point.
Table launches_by_queue_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
