// Loads what a growing recording contains at present, as a whole.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/trace/trace.h"

namespace lanescope {

// Reads the file from its beginning, on one thread. The trace is for tables; its slices are nested
// from scratch. Errors: those of a load.
Result<TracePtr> load_so_far(const std::string& path);

}  // namespace lanescope
