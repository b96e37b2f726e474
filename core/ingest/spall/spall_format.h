// Traces of the profiler Spall (binary, version 1).
#pragma once

#include "core/ingest/format.h"

namespace lanescope {

const Format& spall_format();

}  // namespace lanescope
