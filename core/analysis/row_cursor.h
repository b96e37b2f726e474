// RowCursor: which slice of a depth runs at a time, for times that mostly ascend.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/trace/query.h"
#include "core/trace/trace.h"

namespace lanescope {

// Of one lane. Gives what slice_at() gives; looks first near what it gave before.
class RowCursor {
  public:
    RowCursor(const Trace& trace, LaneId lane)
        : trace_(&trace), lane_(lane), near_(trace.lanes[lane].depth_count, 0) {}

    SliceRef slice_at(uint32_t depth, Nanos t) {
        const Lane& lane = trace_->lanes[lane_];
        if (lane.chunks.size() != 1) return lanescope::slice_at(*trace_, lane_, depth, t);
        const Chunk& chunk = *lane.chunks.front();
        if (depth >= chunk.rows.size()) return {};
        const DepthRow& row = chunk.rows[depth];
        uint32_t begin = std::max(near_[depth], row.begin);
        if (begin >= row.end || chunk.start[begin] > t) begin = row.begin;
        uint32_t step = 1;
        while (step < row.end - begin && chunk.start[begin + step] <= t) step *= 2;
        const uint32_t end = std::min(begin + step, row.end);
        const Nanos* const starts = chunk.start.begin();
        const Nanos* const after = std::upper_bound(starts + begin + step / 2, starts + end, t);
        if (after == starts + row.begin) return {};
        const auto at = static_cast<uint32_t>(after - starts) - 1;
        near_[depth] = at;
        // A slice of no length covers the nanosecond at which it stands.
        const bool covers = t < chunk.start[at] + std::max<Nanos>(chunk.duration[at], 1);
        return covers ? SliceRef{lane_, at} : SliceRef{};
    }

  private:
    const Trace* trace_;
    LaneId lane_;
    std::vector<uint32_t> near_;  // by depth: the slice found before
};

}  // namespace lanescope
