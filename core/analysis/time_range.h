// Ranges of time as people type them.
#pragma once

#include <optional>
#include <string_view>

#include "core/base/result.h"
#include "core/trace/trace.h"

namespace lanescope {

// "1.5ms", "200us", "3 s", "17ns": exact nanoseconds, or nothing. A unit is needed, except for 0.
std::optional<Nanos> parse_duration(std::string_view text);

// "A..B" with times from the trace's origin and a unit ("1.2ms..3ms"; either end may be left out),
// or "step:N" for the step of that number, as find_steps() finds them. Gives absolute times of the
// trace. Errors are of code `usage`.
Result<TimeRange> parse_time_range(const Trace& trace, std::string_view text);
// The same for a picture: an error, too, where the trace is over before the range begins.
Result<TimeRange> parse_shown_range(const Trace& trace, std::string_view text);

}  // namespace lanescope
