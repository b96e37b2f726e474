// Sets of time: sorted ranges. No range is empty or touches the next.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/base/nanos.h"

namespace lanescope {

using Intervals = std::vector<TimeRange>;

// The union of ranges in any order. Empty ranges are ignored.
Intervals merged(std::vector<TimeRange> ranges);

Intervals unite(const Intervals& a, const Intervals& b);
// Makes `all` the union with `more`.
inline void add(Intervals& all, const Intervals& more) {
    if (!more.empty()) all = unite(all, more);
}
Intervals intersect(const Intervals& a, const Intervals& b);
// The parts of `a` that are not in `b`.
Intervals subtract(const Intervals& a, const Intervals& b);

// The sum of all lengths.
Nanos total_length(const Intervals& intervals);
// The length of the part of `range` that the intervals cover. Finds the begin by binary search.
Nanos covered_length(const Intervals& intervals, TimeRange range);

// Appends a range that begins no earlier than the last range.
inline void append_merged(Intervals& intervals, TimeRange next) {
    if (next.begin >= next.end) return;
    if (intervals.empty() || intervals.back().end < next.begin)
        intervals.push_back(next);
    else
        intervals.back().end = std::max(intervals.back().end, next.end);
}

// The union of ranges that arrive row by row, each row sorted by begin. In call stacks most inner
// calls lie within outer calls; those cost little.
class UnionOfRows {
  public:
    void add(TimeRange range) {
        const TimeRange* at = at_;
        while (at != end_ && at->end < range.end) ++at;
        at_ = at;
        if (at == end_ || at->begin > range.begin) append_merged(row_, range);
    }
    void end_row();
    // The union of all rows that have ended.
    Intervals take() && { return std::move(all_); }

  private:
    Intervals all_;                  // union of the rows before
    Intervals row_;                  // parts of the current row that the earlier rows do not cover
    const TimeRange* at_ = nullptr;  // position in all_
    const TimeRange* end_ = nullptr;
};

}  // namespace lanescope
