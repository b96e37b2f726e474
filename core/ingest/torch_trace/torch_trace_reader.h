// Reads a TORCH_TRACE log as a timeline of compilation.
#pragma once

#include "core/base/result.h"

namespace lanescope {

struct ReadJob;
class TraceBuilder;

// Passes phases, graph breaks, recompilations and the compiled code of the log to the builder.
// Errors: the file cannot be read, has no readable record, or cancelled.
Result<void> read_torch_trace(const ReadJob& job, TraceBuilder& builder);

}  // namespace lanescope
