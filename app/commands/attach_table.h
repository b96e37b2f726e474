// PyTorch processes that can be captured, and what came of it, as tables.
#pragma once

#include <span>
#include <string>

#include "core/analysis/table.h"
#include "core/capture/kineto_targets.h"

namespace lanescope {

// A row for each process that asked for a daemon.
Table processes_table(std::span<const KinetoTarget> targets);

struct CaptureOutcome {
    int32_t pid = 0;
    std::string state;    // as name_of() has it
    std::string file;     // empty: none
    std::string problem;  // empty: none
};
Table captures_table(std::span<const CaptureOutcome> outcomes);

}  // namespace lanescope
