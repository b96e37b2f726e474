// Common parts of pictures that compare traces: one row a trace, one column a figure, a bar in each
// cell.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/insight/compare/trace_figures.h"

namespace lanescope {

struct TraceBar {
    std::string text;   // with its unit; a dash: unknown
    double part = 0;    // fraction of the full width; 0: no bar
    double margin = 0;  // half of the confidence interval, as a fraction of the full width
};

struct TraceBars {
    std::string title;
    std::string about;           // what it means, and why it may be missing
    std::vector<TraceBar> bars;  // one a trace
};

// Bars of a figure are relative to its largest value; those of busy time to the whole time. If some
// traces have steps and others do not, time, work and kernels of the latter have no bar, because
// they refer to different things.
std::vector<TraceBars> trace_bars(std::span<const TraceFigures> traces);

// All figures of a trace, one a line.
std::string trace_text(const TraceFigures& trace);

}  // namespace lanescope
