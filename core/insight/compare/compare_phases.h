// Compares the steps of servers by phase: decode with decode, and prefill with prefill. Part of
// compare_runs().
#pragma once

#include <span>

#include "core/insight/compare/compare.h"

namespace lanescope {

// Fills Comparison::phases; if all steps have the same phase, names the step after the phase
// instead. Adds remarks. Requires the samples of Comparison::step.
void add_phases(std::span<const RunProfile> a, std::span<const RunProfile> b, Comparison& all);

}  // namespace lanescope
