// Joins traces as the user wants them aligned, under names for people.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/session/alignment.h"
#include "core/trace/join.h"

namespace lanescope {

// A joined trace, and how its files were aligned.
struct AlignedTrace : JoinedTrace {
    Alignment aligned_by;  // the resolved alignment; for a single trace AlignBy::best
};

// A single trace stays as it is: `whole` is the only part. Of several, each but the first was
// loaded with the vocabulary of the one before. `alignment`: see parse_alignment(); empty: the
// best. Errors: those of parse_alignment(), align_traces() and join_traces().
Result<AlignedTrace> join_aligned(const std::vector<TracePtr>& traces,
                                  const std::string& alignment);

}  // namespace lanescope
