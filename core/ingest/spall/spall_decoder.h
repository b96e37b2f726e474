// Reads the events of a Spall file into a builder.
#pragma once

#include "core/ingest/format.h"

namespace lanescope {

// Errors: not a Spall file of version 1, cannot be read, cancelled.
Result<void> decode_spall(const ReadJob& job, TraceBuilder& builder);

}  // namespace lanescope
