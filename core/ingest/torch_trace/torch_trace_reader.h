// Reads a TORCH_TRACE log as a timeline of compilation.
#pragma once

#include "core/base/result.h"

namespace lanescope {

struct ReadJob;
class TraceBuilder;

// Passes phases, graph breaks and recompilations to the builder, and what the log says of the
// compiled code. Errors: the file cannot be read, holds no record that can be read, cancelled.
Result<void> read_torch_trace(const ReadJob& job, TraceBuilder& builder);

}  // namespace lanescope
