// How far the GPU is behind the steps on the host.
#pragma once

#include <optional>
#include <string>

#include "core/analysis/context.h"
#include "core/analysis/structure/device_steps.h"
#include "core/table/query.h"

namespace lanescope {

// Of the process with most GPU time in its steps; times in nanoseconds.
struct StepLag {
    StepPace pace = StepPace::behind;  // behind, ahead or late
    uint64_t steps = 0;                // with GPU work
    double host = 0;                   // median step on the host
    double device = 0;                 // and on the device
    Nanos after = 0;    // from the end of the last step on the host to the end of its GPU work
    Nanos on_host = 0;  // length of all steps on the host
    Nanos work = 0;     // time in which GPU work of these steps runs
    // From the first launch of a step to the begin of the first work.
    Nanos first_latency = 0;
    bool first_of_all = false;  // no work of the device comes before
    bool after_all = false;     // the first work begins after the last step has ended on the host
};

// Empty if the GPU's work ends with the steps on the host. `query`: steps that begin in its range.
std::optional<StepLag> step_lag(const TraceContext& context, const TableQuery& query);

// "The host runs ahead of the GPU: a step takes 10 ms on the host and 25 ms on the GPU, which ends
// 180 ms after the last step."
std::string lag_sentence(const StepLag& lag);

}  // namespace lanescope
