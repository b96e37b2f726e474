// Reads the rows that lanescope_compare_ranks() is given.
#pragma once

#include "core/analysis/ranks/compare_ranks.h"
#include "core/base/result.h"

struct ArrowArrayStream;

namespace lanescope {

// Takes the rows of the streams, and releases them. `work` and `traces` may be null. Errors: a
// column is missing or has a wrong type, a rank is null, or a stream fails.
Result<RankData> read_rank_rows(ArrowArrayStream* calls, ArrowArrayStream* work,
                                ArrowArrayStream* traces);

// The limits of a comparison: see lanescope_compare_ranks().
Result<RankLimits> rank_limits(const char* options);

}  // namespace lanescope
