// The lanes of a trace: what each holds, and how busy it is.
#pragma once

#include <optional>

#include "core/analysis/table.h"
#include "core/base/nanos.h"
#include "core/trace/trace.h"

namespace lanescope {

extern const TableSpec kLanesTable;

// One row for each lane, in the order they are shown. With a range only what overlaps it counts,
// and times are cut to it.
Table lanes_table(const Trace& trace, std::optional<TimeRange> range);

// Time covered by at least one slice of the lane, inside the range where one is given. Of a stream
// only work counts: the annotations that are drawn over it also span the time between.
Nanos busy_time(const Trace& trace, const Lane& lane, std::optional<TimeRange> range);

std::string_view lane_kind_name(LaneKind kind);  // "thread", "stream", "async", "counter"

}  // namespace lanescope
