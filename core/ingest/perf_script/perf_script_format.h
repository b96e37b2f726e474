// The text that `perf script` prints of a recording of Linux's perf.
#pragma once

#include "core/ingest/format.h"

namespace lanescope {

const Format& perf_script_format();

}  // namespace lanescope
