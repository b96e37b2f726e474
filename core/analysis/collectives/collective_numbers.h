// The number of each collective among those of its group, by which ranks match their calls.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/analysis/context.h"
#include "core/trace/schema.h"
#include "core/trace/slice.h"

namespace lanescope {

struct CollectiveNumber {
    int64_t number = kNoValue;  // kNoValue: not recorded, but those of other calls of the group are
    bool is_recorded = false;   // else counted from 1, for the first call in the file
};

// A group is a process group of one program; its sends and receives have numbers of their own, as
// in PyTorch. Calls whose group is not recorded count together in each stream; on the CPU, in each
// process.
// Calls are counted in the order of their launches. Pieces of work that one recorded call launched
// have one number.
struct CollectiveNumbers {
    std::vector<std::pair<SliceRef, CollectiveNumber>> by_slice;  // of AllCollectives, sorted

    CollectiveNumber of(SliceRef slice) const;

    static CollectiveNumbers compute(const TraceContext& context);
};

}  // namespace lanescope
