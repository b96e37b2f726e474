// TableQuery: the range of time that a table is computed for.
#pragma once

#include <optional>

#include "core/base/nanos.h"

namespace lanescope {

struct TableQuery {
    // Only what begins in it counts; unions of time are clipped to it. Absolute times.
    std::optional<TimeRange> range;
};

}  // namespace lanescope
