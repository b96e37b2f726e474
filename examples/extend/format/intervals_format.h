// Text files with one interval in each line: "NAME BEGIN_NS END_NS THREAD [NOTE]", after a first
// line "intervals 1".
#pragma once

#include "core/ingest/format.h"

namespace lanescope {

const Format& intervals_format();

}  // namespace lanescope
