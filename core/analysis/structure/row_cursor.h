// RowCursor: finds the slice of a depth at a time; made for times that mostly ascend.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/trace/query.h"
#include "core/trace/trace.h"

namespace lanescope {

// For one lane. Equivalent to slice_at(); searches near the last result first.
class RowCursor {
  public:
    RowCursor(const Trace& trace, LaneId lane)
        : trace_(&trace), lane_(lane), last_found_(trace.lanes[lane].depth_count, 0) {}

    SliceRef slice_at(uint32_t depth, Nanos t) { return find(depth, t).slice; }

    struct Found {
        SliceRef slice;  // none: none runs
        TimeRange range;
    };
    Found find(uint32_t depth, Nanos t) {
        const Lane& lane = trace_->lanes[lane_];
        if (lane.chunks.size() != 1) {
            const SliceRef slice = lanescope::slice_at(*trace_, lane_, depth, t);
            if (!slice) return {};
            return {slice, {trace_->start(slice), trace_->slice_end(slice)}};
        }
        const Chunk& chunk = *lane.chunks.front();
        if (depth >= chunk.rows.size()) return {};
        const DepthRow& row = chunk.rows[depth];
        const Nanos* const starts = chunk.start.begin();
        uint32_t at = std::max(last_found_[depth], row.begin);
        if (at >= row.end || starts[at] > t) at = row.begin;
        if (at >= row.end || starts[at] > t) return {};
        if (at + 1 < row.end && starts[at + 1] <= t) at = last_begun(starts, at + 1, row.end, t);
        last_found_[depth] = at;
        // A slice of zero length covers the nanosecond at which it starts.
        if (t >= starts[at] + std::max<Nanos>(chunk.duration[at], 1)) return {};
        return {{lane_, at}, {starts[at], chunk.end(at)}};
    }

  private:
    // The last of [at, end) that begins by `t`, given that `at` does: exponential, then binary
    // search.
    static uint32_t last_begun(const Nanos* starts, uint32_t at, uint32_t end, Nanos t) {
        uint32_t step = 1;
        while (step < end - at && starts[at + step] <= t) step *= 2;
        const Nanos* const after =
            std::upper_bound(starts + at + step / 2, starts + std::min(at + step, end), t);
        return static_cast<uint32_t>(after - starts) - 1;
    }

    const Trace* trace_;
    LaneId lane_;
    std::vector<uint32_t> last_found_;  // by depth: the last result
};

}  // namespace lanescope
