// rocpd: the databases of rocprofv3 (its default since ROCm 7) and rocprof-sys.
#pragma once

#include "core/ingest/format.h"

namespace lanescope {

const Format& rocpd_format();

}  // namespace lanescope
