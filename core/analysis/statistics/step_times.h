// Steps: how long each took, and what limited it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/statistics/distribution.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct StepTableRow> kStepsTable;

// What limits a step's time; `unknown` if the trace has no GPU activity.
enum class StepBound : uint8_t { unknown, input, overhead, communication, device };
std::string_view step_bound_name(StepBound bound);  // empty when unknown

struct StepRow {
    uint32_t step = 0;  // of Steps::all
    // Time in the step in which the process has a running activity.
    Nanos gpu_busy = 0;
    Nanos cpu_self = 0;               // in operators, summed over threads, without waiting calls
    Nanos data_loading = 0;           // with the GPU idle
    Nanos exposed_communication = 0;  // a collective's kernel runs and no other kernel
    uint64_t kernels = 0;             // launched in the step
    bool warm_up = false;
    bool outlier = false;
    double deviation = 0;  // from the median of the steps without warm-up, relative to it
    StepBound bound = StepBound::unknown;
};

struct StepTimes {
    std::vector<StepRow> rows;  // steps that begin in the range
    Distribution durations;     // warm-up left out
};
StepTimes step_times(const TraceContext& context, const TableQuery& query);

Table steps_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
