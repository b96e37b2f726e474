// Tables of processes that can be captured, and of the captures' results.
#pragma once

#include <span>

#include "core/capture/kineto/attach.h"
#include "core/capture/kineto/kineto_targets.h"
#include "core/table/table.h"

namespace lanescope {

// One row for each process that asked for a daemon.
Table processes_table(std::span<const KinetoTarget> targets);

Table captures_table(std::span<const CaptureOutcome> outcomes);

}  // namespace lanescope
