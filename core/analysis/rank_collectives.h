// Collectives across ranks: which calls of several traces are one and the same, and which rank came
// late to it.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/analysis/collectives.h"
#include "core/trace/trace.h"

namespace lanescope {

struct RankCollectives {
    struct Call {
        CollectiveType type = CollectiveType::unknown;
        std::vector<SliceRef> slices;  // the kernel (or Gloo's call) of each rank, by part
    };
    std::vector<Call> calls;  // of two ranks or more
    // The kernels, and the calls that launched them, with the call they belong to; by slice.
    std::vector<std::pair<SliceRef, uint32_t>> by_slice;

    // Null: it belongs to none that another trace has too.
    const Call* call_of(SliceRef slice) const;
};

// Of the parts of a joined trace that are ranks of one job: they tell different ranks of a world of
// one size; of others nothing. Calls of one type, group and, where all ranks send as much, size in
// a step that all of them have are the same when they run at one time by the wall clock. Where the
// files tell none, or by theirs nothing runs at one time, the n-th on one rank is the n-th on the
// others, if all have as many. All parts: with the texts of one joined trace.
RankCollectives match_collectives(std::span<const TraceContext* const> parts);

}  // namespace lanescope
