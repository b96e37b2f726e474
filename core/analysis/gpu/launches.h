// Launches: how long each GPU activity waited after the call that launched it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/context.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct LaunchTableRow> kLaunchesTable;

struct Launch {
    SliceRef call;
    uint32_t row = 0;  // of Trace::gpu_activities
    // Start on the GPU - end of the call; negative: began before the call ended.
    Nanos latency = 0;
    int64_t queue_depth = 0;  // of the stream, including this launch
};

// Sorted by the call's start; a call that launches several activities has an entry for each.
// Activities whose launch is not in the file are left out.
std::vector<Launch> launches(const TraceContext& context, const TableQuery& query);

// The launches of the whole trace.
struct AllLaunches {
    std::vector<Launch> rows;

    static AllLaunches compute(const TraceContext& context);
};

Table launches_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
