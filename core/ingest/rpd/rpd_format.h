// ROCm Profile Data (RPD): databases written by rocmProfileData's runTracer and by rlog.
#pragma once

#include "core/ingest/format.h"

namespace lanescope {

const Format& rpd_format();

}  // namespace lanescope
