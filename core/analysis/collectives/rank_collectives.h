// Collectives across ranks: matches the calls of several traces, and finds which rank was late.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/analysis/collectives/collectives.h"
#include "core/trace/trace.h"

namespace lanescope {

struct RankCollectives {
    struct Call {
        CollectiveType type = CollectiveType::unknown;
        std::vector<SliceRef> slices;  // the kernel (or Gloo's call) of each rank, by part
    };
    std::vector<Call> calls;  // of two ranks or more
    // Kernels, and the calls that launched them, with their matched call; sorted by slice.
    std::vector<std::pair<SliceRef, uint32_t>> by_slice;

    // Null: not matched with a call of another trace.
    const Call* call_of(SliceRef slice) const;
};

// Requires the parts of a joined trace to be ranks of one job: different ranks and the same world
// size; otherwise returns nothing. Calls of one type, group and (if equal on all ranks) size in a
// common step are the same call if they run at the same time by the wall clock. If the files have
// no clocks, or nothing coincides by their clocks, the n-th call on one rank matches the n-th on
// the others, if all have equally many. All parts must share the texts of one joined trace.
RankCollectives match_collectives(std::span<const TraceContext* const> parts);

}  // namespace lanescope
