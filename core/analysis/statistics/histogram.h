// The durations of everything whose name matches a pattern.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/statistics/distribution.h"
#include "core/base/result.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct HistogramTableRow> kHistogramTable;

enum class HistogramOf : uint8_t { kernels, operators };

struct DurationHistogram {
    std::vector<std::string> names;  // the matching names, sorted
    std::vector<SliceRef> slices;    // in order of time
    Distribution durations;
    Histogram bins;
    std::vector<SliceRef> outliers;  // the longest first
};

// The durations of these slices, in any order; at least one.
DurationHistogram histogram_of_slices(const Trace& trace, std::vector<SliceRef> slices);

// `pattern`: a regular expression (RE2) found anywhere in the name; operators include annotations.
// Counts slices that begin in the range. A usage error if the pattern is invalid or nothing
// matches.
Result<DurationHistogram> duration_histogram(const TraceContext& context, const TableQuery& query,
                                             HistogramOf kind, const std::string& pattern);

// One row for each bin.
Table histogram_table(const DurationHistogram& histogram);

}  // namespace lanescope
