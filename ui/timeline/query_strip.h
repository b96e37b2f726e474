// The lanes of queries, between the ruler and the lanes of the trace.
#pragma once

#include <imgui.h>

#include <optional>

#include "core/view/query_lane.h"
#include "ui/timeline/timeline.h"

namespace lanescope {

// What is at a point of the window on a lane of a query.
struct QueryHit {
    QueryLanePtr lane;  // null: nothing
    std::optional<QuerySlice> slice;
    std::optional<double> value;  // of a counter
};
QueryHit query_hit_at(const Timeline& timeline, ImVec2 at);

}  // namespace lanescope
