// Writes a trace as JSON in the format of PyTorch's Kineto, which viewers of Chrome traces can also
// read.
#pragma once

#include "core/base/result.h"
#include "core/export/traces/exported_events.h"

namespace lanescope {

// Writes slices, instants, curves, names and links of a single-file trace. Times are exact:
// microseconds with three digits. Errors: those of the functions.
Result<void> write_trace_json(const TraceExport& what, const TakeText& take);

}  // namespace lanescope
