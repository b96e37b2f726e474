// SQLite exports of NVIDIA's Nsight Systems.
#pragma once

#include <string_view>

#include "core/ingest/format.h"

namespace lanescope {

// Names of Trace::metadata.
inline constexpr std::string_view kNsightClock = "baseTimeNanoseconds";
inline constexpr std::string_view kNsightProduct = "product";

const Format& nsight_format();

}  // namespace lanescope
