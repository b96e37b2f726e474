// The steps of servers by phase: decode is compared with decode, and prefill with prefill. A part
// of compare_runs().
#pragma once

#include <span>

#include "core/insight/compare/compare.h"

namespace lanescope {

// Fills Comparison::phases, or names the step after its phase if all steps have one; adds remarks.
// Expects the samples of Comparison::step.
void add_phases(std::span<const RunProfile> a, std::span<const RunProfile> b, Comparison& all);

}  // namespace lanescope
