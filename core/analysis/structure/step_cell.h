// A table cell with the step that contains a time, for tables with one row for each event.
#pragma once

#include "core/analysis/structure/steps.h"
#include "core/table/table.h"

namespace lanescope {

// Index of the process's step that contains `t`.
inline Cell step_cell(const Steps& steps, uint32_t process, Nanos t) {
    const uint32_t step = steps.at(process, t);
    return step == kNoRow ? Cell() : Cell(steps.all[step].index);
}

}  // namespace lanescope
