// The lanes of a trace: contents and busy time.
#pragma once

#include <optional>

#include "core/base/nanos.h"
#include "core/table/table.h"
#include "core/trace/trace.h"

namespace lanescope {

extern const TableOf<struct LaneTableRow> kLanesTable;

// One row for each lane, in display order. With a range, only what overlaps it counts, and times
// are clipped to it.
Table lanes_table(const Trace& trace, std::optional<TimeRange> range);

// The time covered by at least one slice of the lane, within the range if there is one. In streams
// only work counts: annotations drawn over a stream also span the time between.
Nanos busy_time(const Trace& trace, const Lane& lane, std::optional<TimeRange> range);

}  // namespace lanescope
