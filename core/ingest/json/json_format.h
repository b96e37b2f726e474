// Chrome and Kineto JSON traces.
#pragma once

#include "core/ingest/format.h"

namespace lanescope {

const Format& json_format();

}  // namespace lanescope
