// What the kernels of each step had to do: the operations of its products, and how long they would
// take at the devices' peaks.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/analysis/cost_sums.h"
#include "core/analysis/tables.h"

namespace lanescope {

struct StepWork {
    CostSums costs;           // of kernels launched in it
    Nanos modelled_time = 0;  // of those with a model, helpers too
    uint64_t products = 0;    // matrix products, convolutions and attention with a model
    Count flop;               // of those
    double ideal_ns = 0;      // those with a known peak, at their peaks
    double forward_ns = 0;    // of it, what no backward pass runs
    bool has_peak = false;
    bool uncertain_peak = false;          // no source confirmed one of those peaks
    std::map<std::string, double> peaks;  // by their names: part of ideal_ns
    uint64_t devices = 0;                 // that its process launches on

    void add(const StepWork& other);
    // Of `window` on each device. NaN without a peak or a window.
    double hfu(Nanos window) const;
    // Inferred: three times the forward part where there is a backward pass, else the forward part.
    double mfu(Nanos window) const;
};

struct StepWorks {
    StepWork all;                 // that begins in the range, in a step or not
    std::vector<StepWork> steps;  // by Steps::all; what is launched in each
};

StepWorks step_works(const TraceContext& context, const TableQuery& query);

// From the first start to the last end of all devices' work.
TimeRange gpu_span(const TraceContext& context);

}  // namespace lanescope
