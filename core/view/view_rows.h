// The rows that lanes need for a range of time: no deeper than the calls in it and their dead
// windows, and with one row for outer calls that all cover it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/trace.h"
#include "core/view/shown_lanes.h"

namespace lanescope {

struct LaneRows {
    // One row represents the depths [0, outer): each has a single call in the range, which covers
    // nearly all of it. 0: each depth has a row of its own.
    uint32_t outer = 0;
    uint32_t depths = 0;  // rows from this depth on have nothing in the range

    friend bool operator==(const LaneRows&, const LaneRows&) = default;
};

// By lane; empty: all rows of all lanes.
struct ViewRows {
    std::vector<LaneRows> lanes;

    friend bool operator==(const ViewRows&, const ViewRows&) = default;
};

// A row that represents fewer outer calls than this would save nearly no space.
constexpr uint32_t kMinOuter = 3;

// The rows of each lane for `range`. Rows that lead to `selected` are not represented by another
// one. Cost: two binary searches a row; without a result for traces with more rows than a frame can
// search.
ViewRows rows_for(const Trace& trace, const ShownLanesPtr& shown, TimeRange range,
                  SliceRef selected);

// The rows that are needed in either of two views. An empty operand means all rows.
ViewRows union_of(const ViewRows& a, const ViewRows& b);

}  // namespace lanescope
