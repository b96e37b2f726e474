// TORCH_TRACE logs, which torch.compile writes to the folder in the environment variable
// TORCH_TRACE.
#pragma once

#include "core/ingest/format.h"

namespace lanescope {

const Format& torch_trace_format();

}  // namespace lanescope
