// The number of each collective within its group, by which ranks match their calls.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/analysis/context.h"
#include "core/trace/schema.h"
#include "core/trace/slice.h"

namespace lanescope {

struct CollectiveNumber {
    // kNoValue: not recorded, although other calls of the group have numbers.
    int64_t number = kNoValue;
    bool is_recorded = false;  // false: counted from 1 within the file
};

// A group is a process group of one program. As in PyTorch, its sends and receives are numbered
// separately. Calls without a recorded group are numbered per stream; on the CPU, per process.
// Calls are counted in the order of their launches. All work that one recorded call launched has
// the same number.
struct CollectiveNumbers {
    std::vector<std::pair<SliceRef, CollectiveNumber>> by_slice;  // of AllCollectives; sorted

    CollectiveNumber of(SliceRef slice) const;

    static CollectiveNumbers compute(const TraceContext& context);
};

}  // namespace lanescope
