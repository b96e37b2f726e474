// ROCm Profile Data (RPD): databases of rocmProfileData's runTracer and of rlog.
#pragma once

#include "core/ingest/format.h"

namespace lanescope {

const Format& rpd_format();

}  // namespace lanescope
