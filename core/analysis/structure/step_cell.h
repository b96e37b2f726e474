// The step that contains a time, for tables with one row for each event.
#pragma once

#include <optional>

#include "core/analysis/structure/steps.h"

namespace lanescope {

// Index of the process's step that contains `t`.
inline std::optional<int64_t> step_index(const Steps& steps, uint32_t process, Nanos t) {
    const uint32_t step = steps.at(process, t);
    return step == kNoRow ? std::nullopt : std::optional(steps.all[step].index);
}

}  // namespace lanescope
