// Steps: how long each took, and what limited it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/gpu/step_bound.h"
#include "core/analysis/statistics/distribution.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct StepTableRow> kStepsTable;

struct StepRow {
    uint32_t step = 0;  // of Steps::all
    Nanos time = 0;     // what the step takes: DeviceSteps::time()
    // Time in which at least one of the activities launched in the step runs, whenever that is.
    Nanos gpu_busy = 0;
    Nanos exposed_communication = 0;  // of these, a collective's kernel runs and no other kernel
    Nanos cpu_self = 0;               // in operators, summed over threads, without waiting calls
    uint64_t kernels = 0;             // launched in the step
    // In DeviceStep::window; its length is `parts.whole`. Overhead: the GPU is idle for a cause
    // that is_overhead(), without data loading. Before the first launch of the process and after
    // its last activity the host is the cause: it launched nothing.
    BoundTimes parts;
    bool warm_up = false;
    bool outlier = false;
    double deviation = 0;  // from the median of the steps without warm-up, relative to it
    StepBound bound = StepBound::unknown;
};

struct StepTimes {
    std::vector<StepRow> rows;  // steps that begin in the range
    Distribution durations;     // of StepRow::time; warm-up left out
};
// The number of leading steps that are warm-up: those of warm_up_count() that are at least 5 %
// longer than the median of the steps after them.
std::size_t warm_up_steps(std::span<const Nanos> in_time);

StepTimes step_times(const TraceContext& context, const TableQuery& query);

Table steps_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
