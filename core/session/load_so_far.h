// What a recording that grows holds by now, as a whole.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/trace/trace.h"

namespace lanescope {

// Reads the file from its beginning, on one thread: a trace for tables, whose slices are nested
// anew. Errors: as a load has them.
Result<TracePtr> load_so_far(const std::string& path);

}  // namespace lanescope
