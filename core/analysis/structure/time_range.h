// Parses ranges of time as people type them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/analysis/context.h"
#include "core/base/result.h"
#include "core/table/query.h"

namespace lanescope {

// Parses "1.5ms", "200us", "3 s", "17ns" to exact nanoseconds; empty on error. A unit is required,
// except for 0.
std::optional<Nanos> parse_duration(std::string_view text);

// Parses "A..B" with times from the trace's origin and a unit ("1.2ms..3ms"; either end may be
// omitted), or "step:N" and "step:N..M" for steps, on the host. Where a step's number occurs in
// several recorded windows, "step:N" is the first one, and "step:N@W" that of window W. Returns
// absolute times of the trace. Errors have the code `usage`.
Result<TimeRange> parse_time_range(const TraceContext& context, std::string_view text);

// What the same text asks a table for. A range of steps includes the GPU work that they launched,
// whenever it ran, and no other.
struct ParsedQuery {
    TableQuery query;
    std::string note;  // a sentence if the text has more than one meaning; else empty
};
Result<ParsedQuery> parse_query(const TraceContext& context, std::string_view text);

// What a marked range asks for: if it is exactly that of a step on the host, the step.
TableQuery marked_query(const TraceContext& context, const std::optional<TimeRange>& range);

// The range of a picture, which shows steps on the host and on their devices. An error as well if
// the range begins after the end of the trace.
Result<TimeRange> parse_shown_range(const TraceContext& context, std::string_view text);

}  // namespace lanescope
