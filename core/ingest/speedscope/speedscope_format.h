// Files of speedscope.app, which py-spy and other profilers write.
#pragma once

#include "core/ingest/format.h"

namespace lanescope {

const Format& speedscope_format();

}  // namespace lanescope
