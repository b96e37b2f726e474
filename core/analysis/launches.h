// Launches: how long each GPU activity waited behind the call that launched it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/table.h"
#include "core/analysis/tables.h"

namespace lanescope {

extern const TableSpec kLaunchesTable;

struct Launch {
    SliceRef call;
    uint32_t row = 0;         // of Trace::gpu_activities
    Nanos latency = 0;        // start on the GPU - end of the call; negative: before the call ended
    int64_t queue_depth = 0;  // of the stream, this launch counted
};

// By start of the call; a call that launches several activities is there once for each. Those
// whose launch is not in the file are left out.
std::vector<Launch> launches(const TraceContext& context, const TableQuery& query);

Table launches_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
