// A histogram as JSON for scripts and as a picture for terminals.
#pragma once

#include <string>

#include "core/analysis/statistics/histogram.h"
#include "core/export/tables/text_grid.h"

namespace lanescope {

// Later versions only add keys: "edges_ns", "counts", and the statistics. Unknown values are null.
std::string histogram_as_json(const Trace& trace, const DurationHistogram& histogram);

// Bars, the statistics, and the positions of the longest outliers.
std::string histogram_as_text(const Trace& trace, const DurationHistogram& histogram,
                              const TextStyle& style = {});

}  // namespace lanescope
