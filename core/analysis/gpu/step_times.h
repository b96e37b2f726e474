// Steps: how long each took, and what limited it.
#pragma once

#include <algorithm>
#include <cstdint>
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
    // Time in the step in which the process has a running activity. Of Step::by_work: the time of
    // the work launched in it, part of which may run after the step.
    Nanos gpu_busy = 0;
    Nanos cpu_self = 0;               // in operators, summed over threads, without waiting calls
    Nanos data_loading = 0;           // with the GPU idle
    Nanos exposed_communication = 0;  // a collective's kernel runs and no other kernel
    // The GPU is idle for a cause that is_overhead(), without data loading. Before the first launch
    // of the process and after its last activity the host is the cause: it launched nothing.
    Nanos overhead = 0;
    uint64_t kernels = 0;  // launched in the step
    bool warm_up = false;
    bool outlier = false;
    double deviation = 0;  // from the median of the steps without warm-up, relative to it
    StepBound bound = StepBound::unknown;

    BoundTimes bound_times(Nanos duration) const {
        const Nanos busy = std::min(gpu_busy, duration - data_loading - overhead);
        return {duration, busy, std::min(exposed_communication, busy), data_loading, overhead};
    }
};

struct StepTimes {
    std::vector<StepRow> rows;  // steps that begin in the range
    Distribution durations;     // warm-up left out
};
StepTimes step_times(const TraceContext& context, const TableQuery& query);

Table steps_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
