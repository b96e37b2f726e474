// Reads the rows passed to lanescope_compare_ranks().
#pragma once

#include "core/analysis/ranks/compare_ranks.h"
#include "core/base/result.h"

struct ArrowArrayStream;

namespace lanescope {

// Reads and releases the streams. `work` and `traces` may be null. Errors: a column is missing or
// has the wrong type, a rank is null, or a stream fails.
Result<RankData> read_rank_rows(ArrowArrayStream* calls, ArrowArrayStream* work,
                                ArrowArrayStream* traces);

// Parses the options of lanescope_compare_ranks().
Result<RankLimits> rank_limits(const char* options);

}  // namespace lanescope
