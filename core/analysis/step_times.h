// Steps: how long each took, and what held it up.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/analysis/distribution.h"
#include "core/analysis/tables.h"

namespace lanescope {

extern const TableSpec kStepsTable;

// What a step's time depends on; `unknown` without any GPU activity in the trace.
enum class StepBound : uint8_t { unknown, input, overhead, communication, device };
std::string_view step_bound_name(StepBound bound);  // empty when unknown

struct StepRow {
    uint32_t step = 0;                // of Steps::all
    Nanos gpu_busy = 0;               // an activity of the step's process runs, in the step's time
    Nanos cpu_self = 0;               // in operators, over all threads, without waiting calls
    Nanos data_loading = 0;           // with the GPU idle
    Nanos exposed_communication = 0;  // a collective's kernel runs and no other kernel
    uint64_t kernels = 0;             // launched in the step
    bool warm_up = false;
    bool outlier = false;
    double deviation = 0;  // from the median of the steps that are no warm-up, as a part of it
    StepBound bound = StepBound::unknown;
};

struct StepTimes {
    std::vector<StepRow> rows;  // steps that begin in the range
    Distribution durations;     // warm-up left out
};
StepTimes step_times(const TraceContext& context, const TableQuery& query);

Table steps_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
