// Times of inferences that TensorRT's trtexec writes (--exportTimes).
#pragma once

#include "core/ingest/format.h"

namespace lanescope {

const Format& tensorrt_format();

}  // namespace lanescope
