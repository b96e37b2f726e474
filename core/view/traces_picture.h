// What pictures of traces side by side have in common: a row a trace, a column a figure, and in
// each cell a bar beside those of the others.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/analysis/trace_figures.h"

namespace lanescope {

struct TraceBar {
    std::string text;   // with its unit; a dash: not known
    double part = 0;    // of the full width; 0: no bar
    double margin = 0;  // half of the confidence interval, likewise
};

struct TraceBars {
    std::string title;
    std::string about;           // what it is, and why it can be missing
    std::vector<TraceBar> bars;  // one a trace
};

// Bars of one figure are by its largest; those of busy time by all of the time. Where some traces
// have steps and others none, time, work and kernels of the latter have no bar: they are of other
// things.
std::vector<TraceBars> trace_bars(std::span<const TraceFigures> traces);

// What is told of a trace: all of its figures, a line each.
std::string trace_text(const TraceFigures& trace);

}  // namespace lanescope
