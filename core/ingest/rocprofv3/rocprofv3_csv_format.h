// rocprofv3's CSV files (`rocprofv3 --output-format csv`): all files of a run together.
#pragma once

#include "core/ingest/format.h"

namespace lanescope {

const Format& rocprofv3_csv_format();

}  // namespace lanescope
