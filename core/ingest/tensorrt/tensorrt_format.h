// Inference times exported by TensorRT's trtexec (--exportTimes).
#pragma once

#include "core/ingest/format.h"

namespace lanescope {

const Format& tensorrt_format();

}  // namespace lanescope
