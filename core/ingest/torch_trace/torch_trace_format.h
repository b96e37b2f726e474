// TORCH_TRACE logs: what torch.compile writes about its work into the folder that the environment
// variable TORCH_TRACE names.
#pragma once

#include "core/ingest/format.h"

namespace lanescope {

const Format& torch_trace_format();

}  // namespace lanescope
