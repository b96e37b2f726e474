// XSpace profiles of JAX, TensorFlow and PyTorch/XLA.
#pragma once

#include <string_view>

#include "core/ingest/format.h"

namespace lanescope {

const Format& xspace_format();

}  // namespace lanescope
