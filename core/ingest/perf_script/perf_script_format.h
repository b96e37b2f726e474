// The output of `perf script`, for recordings of Linux perf.
#pragma once

#include "core/ingest/format.h"

namespace lanescope {

const Format& perf_script_format();

}  // namespace lanescope
