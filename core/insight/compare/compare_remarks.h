// The remarks and notes of a comparison. A part of compare_runs().
#pragma once

#include <span>

#include "core/insight/compare/compare.h"

namespace lanescope {

// Before the numbers: names, facts, remarks, and whether there can be any numbers.
void add_remarks(std::span<const RunProfile> a, std::span<const RunProfile> b, Comparison& all);
// Also a remark, which needs the rows: whether the files have different units of time.
void add_remark_on_units(Comparison& all);
// After the numbers.
void add_notes(Comparison& all);

}  // namespace lanescope
