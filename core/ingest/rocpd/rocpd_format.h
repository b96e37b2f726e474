// rocpd: databases of rocprofv3 (the default since ROCm 7) and rocprof-sys.
#pragma once

#include "core/ingest/format.h"

namespace lanescope {

const Format& rocpd_format();

}  // namespace lanescope
