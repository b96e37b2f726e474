// The durations of everything whose name fits a pattern.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/distribution.h"
#include "core/analysis/tables.h"
#include "core/base/result.h"

namespace lanescope {

extern const TableSpec kHistogramTable;

enum class HistogramOf : uint8_t { kernels, operators };

struct DurationHistogram {
    std::vector<std::string> names;  // that fit, in order of the alphabet
    std::vector<SliceRef> slices;    // in order of time
    Distribution durations;
    Histogram bins;
    std::vector<SliceRef> outliers;  // the longest first
};

// Of these, in any order; at least one.
DurationHistogram histogram_of_slices(const Trace& trace, std::vector<SliceRef> slices);

// `pattern`: a regular expression (RE2) found anywhere in the name; of operators also annotations.
// Counts what begins in the range. An error of usage when the pattern is none, or fits nothing.
Result<DurationHistogram> duration_histogram(const TraceContext& context, const TableQuery& query,
                                             HistogramOf of, const std::string& pattern);

// One row for each bin.
Table histogram_table(const DurationHistogram& histogram);

}  // namespace lanescope
