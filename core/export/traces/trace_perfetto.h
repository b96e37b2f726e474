// Writes a trace as Perfetto's protobuf: TrackEvents by the published schema.
#pragma once

#include "core/base/result.h"
#include "core/export/traces/exported_events.h"

namespace lanescope {

// Writes slices, instants, curves, names and links of a single-file trace. Timestamps are the
// nanoseconds of the trace; a snapshot of clocks gives the time of day. Slices of one lane that
// overlap without nesting go to several tracks of the same name. Errors: those of the functions.
Result<void> write_trace_perfetto(const TraceExport& what, const TakeText& take);

}  // namespace lanescope
