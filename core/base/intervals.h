// Sets of time: ranges in order, none empty, none touching the next.
#pragma once

#include <vector>

#include "core/base/nanos.h"

namespace lanescope {

using Intervals = std::vector<TimeRange>;

// The union of any ranges, in any order. Empty ones add nothing.
Intervals merged(std::vector<TimeRange> ranges);

Intervals unite(const Intervals& a, const Intervals& b);
Intervals intersect(const Intervals& a, const Intervals& b);
// What is in `a` and not in `b`.
Intervals subtract(const Intervals& a, const Intervals& b);

// Length of all of them together.
Nanos total_length(const Intervals& intervals);
// Length of the part of `range` that they cover, by binary search for its begin.
Nanos covered_length(const Intervals& intervals, TimeRange range);

// Adds a range that begins no earlier than the last one does.
void append_merged(Intervals& intervals, TimeRange next);

}  // namespace lanescope
