// Sets of time: ranges in order, none empty, none touching the next.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/base/nanos.h"

namespace lanescope {

using Intervals = std::vector<TimeRange>;

// The union of any ranges, in any order. Empty ones add nothing.
Intervals merged(std::vector<TimeRange> ranges);

Intervals unite(const Intervals& a, const Intervals& b);
// Makes `all` the union with `more`.
inline void add(Intervals& all, const Intervals& more) {
    if (!more.empty()) all = unite(all, more);
}
Intervals intersect(const Intervals& a, const Intervals& b);
// What is in `a` and not in `b`.
Intervals subtract(const Intervals& a, const Intervals& b);

// Length of all of them together.
Nanos total_length(const Intervals& intervals);
// Length of the part of `range` that they cover, by binary search for its begin.
Nanos covered_length(const Intervals& intervals, TimeRange range);

// Adds a range that begins no earlier than the last one does.
inline void append_merged(Intervals& intervals, TimeRange next) {
    if (next.begin >= next.end) return;
    if (intervals.empty() || intervals.back().end < next.begin)
        intervals.push_back(next);
    else
        intervals.back().end = std::max(intervals.back().end, next.end);
}

// The union of ranges that come row by row, each row in order of begin. Of calls the inner ones
// mostly lie in the outer ones, which cost little then.
class UnionOfRows {
  public:
    void add(TimeRange range) {
        const TimeRange* at = at_;
        while (at != end_ && at->end < range.end) ++at;
        at_ = at;
        if (at == end_ || at->begin > range.begin) append_merged(row_, range);
    }
    void end_row();
    // Of the rows that have ended.
    Intervals take() && { return std::move(all_); }

  private:
    Intervals all_;                  // of the rows before
    Intervals row_;                  // what this one has beside them
    const TimeRange* at_ = nullptr;  // in all_
    const TimeRange* end_ = nullptr;
};

}  // namespace lanescope
