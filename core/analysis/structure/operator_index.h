// OperatorIndex: finds a slice's row of Trace::operators by its lane and index.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/column.h"
#include "core/trace/trace.h"

namespace lanescope {

class TraceContext;

struct OperatorIndex {
    std::vector<Column<uint32_t>> rows;  // by lane and index; empty: the lane has no operators

    // kNoRow: the slice is not an operator.
    uint32_t row(SliceRef slice) const {
        const Column<uint32_t>& lane = rows[slice.lane];
        return lane.empty() ? kNoRow : lane[slice.index];
    }

    static OperatorIndex compute(const TraceContext& context);
};

}  // namespace lanescope
