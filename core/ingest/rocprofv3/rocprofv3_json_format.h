// rocprofv3's JSON files (`rocprofv3 --output-format json`).
#pragma once

#include "core/ingest/format.h"

namespace lanescope {

const Format& rocprofv3_json_format();

}  // namespace lanescope
