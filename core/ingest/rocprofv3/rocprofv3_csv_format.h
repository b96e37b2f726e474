// rocprofv3's CSV files (`rocprofv3 --output-format csv`), of one run together.
#pragma once

#include "core/ingest/format.h"

namespace lanescope {

const Format& rocprofv3_csv_format();

}  // namespace lanescope
