// The work of each step's kernels: the operations of its matrix products, and their time at the
// devices' peaks.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/work/cost_sums.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

struct StepWork {
    CostSums costs;           // of kernels launched in it
    Nanos modelled_time = 0;  // of kernels with a model, including helpers
    uint64_t products = 0;    // modelled matrix products, convolutions and attention
    Count flop;               // their operations
    double ideal_ns = 0;      // products with a known peak, at their peaks
    double forward_ns = 0;    // the part of ideal_ns outside backward passes
    bool has_peak = false;
    bool uncertain_peak = false;          // the source of one of the peaks is not confirmed
    std::map<std::string, double> peaks;  // by name: share of ideal_ns
    uint64_t devices = 0;                 // the number of devices that its process uses

    void add(const StepWork& other);
    // Utilisation of each device over `window`. NaN without a peak or a window.
    double hfu(Nanos window) const;
    // Inferred: three times the forward part if there is a backward pass, else the forward part.
    double mfu(Nanos window) const;
};

struct StepWorks {
    StepWork all;                 // all work that begins in the range, in a step or not
    std::vector<StepWork> steps;  // like Steps::all; work launched in each
};

StepWorks step_works(const TraceContext& context, const TableQuery& query);

// From the first start to the last end of all devices' work.
TimeRange gpu_span(const TraceContext& context);

}  // namespace lanescope
