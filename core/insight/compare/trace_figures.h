// A trace in a few figures, for comparison with other traces: runs of several models, or of one
// model with several batch sizes.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/analysis/context.h"
#include "core/analysis/structure/steps.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct TraceFigures> kTracesTable;

// Unknown values are NaN, kNoValue or empty.
struct TraceFigures {
    std::string name;     // the name that the window shows
    std::string file;     // name of the file without its folders
    std::string devices;  // names of the devices
    StepSource source = StepSource::none;
    // Without warm-up. 0: time, work and kernels refer to the whole trace or range.
    uint64_t steps = 0;
    double time_ns = 0;  // mean
    double ci95_ns = 0;
    double busy_of_steps = 0;
    double busy_of_span = 0;
    int64_t peak_memory = 0;  // bytes
    double flop = 0;
    double modelled = 0;
    double mfu = 0;
    double hfu = 0;
    bool uncertain_peak = false;  // the source of a peak used for mfu and hfu is not confirmed
    double steps_per_second = 0;
    int64_t batch = 0;
    double kernels = 0;
    std::string top_operator;
    double top_operator_share = 0;
    TimeRange range;  // the range that the figures describe, in absolute times

    double samples_per_second() const;
};

// Fills everything but the name.
TraceFigures trace_figures(const TraceContext& context, const TableQuery& query);

// One row for each trace.
Table traces_table(std::span<const TraceFigures> traces);

}  // namespace lanescope
