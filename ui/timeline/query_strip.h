// The lanes of queries, between the ruler and the lanes of the trace.
#pragma once

#include <imgui.h>

#include <optional>

#include "core/view/query_lane.h"
#include "ui/timeline/timeline.h"

namespace lanescope {

// The lane of a query at a point of the window, with the slice or the value at that point.
struct QueryHit {
    QueryLanePtr lane;  // null: the point is on no such lane
    std::optional<QuerySlice> slice;
    std::optional<double> value;  // of a counter
};
QueryHit query_hit_at(const Timeline& timeline, ImVec2 at);

}  // namespace lanescope
