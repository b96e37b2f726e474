#include "core/analysis/structure/operator_index.h"

#include "core/analysis/context.h"

namespace lanescope {

OperatorIndex OperatorIndex::compute(const TraceContext& context) {
    const Trace& trace = context.trace();
    OperatorIndex index;
    index.rows.resize(trace.lanes.size());
    for (uint32_t row = 0; row < trace.operators.slice.size(); ++row) {
        const SliceRef op = trace.operators.slice[row];
        Column<uint32_t>& lane = index.rows[op.lane];
        if (lane.empty()) lane = Column<uint32_t>::filled(trace.lanes[op.lane].slice_count, kNoRow);
        lane[op.index] = row;
    }
    return index;
}

}  // namespace lanescope
