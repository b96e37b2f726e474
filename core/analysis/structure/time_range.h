// Parses ranges of time as people type them.
#pragma once

#include <optional>
#include <string_view>

#include "core/base/result.h"
#include "core/trace/trace.h"

namespace lanescope {

// Parses "1.5ms", "200us", "3 s", "17ns" to exact nanoseconds; empty on error. A unit is required,
// except for 0.
std::optional<Nanos> parse_duration(std::string_view text);

// Parses "A..B" with times from the trace's origin and a unit ("1.2ms..3ms"; either end may be
// omitted), or "step:N" for a step found by find_steps(). Returns absolute times of the trace.
// Errors have the code `usage`.
Result<TimeRange> parse_time_range(const Trace& trace, std::string_view text);
// The same for a picture: also an error if the range begins after the end of the trace.
Result<TimeRange> parse_shown_range(const Trace& trace, std::string_view text);

}  // namespace lanescope
