// TraceSelection: the part of a trace that is written to another file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/analysis/context.h"
#include "core/base/nanos.h"
#include "core/trace/trace.h"

namespace lanescope {

// Rows of the allocator's "[memory]" events, by the lane and the instant.
using MemoryRows = std::map<std::pair<LaneId, uint32_t>, uint32_t>;
MemoryRows memory_rows(const Trace& trace);

class TraceSelection {
  public:
    // Everything.
    TraceSelection() = default;
    // The tables of the range show the same numbers as the original only with:
    // - slices that overlap the range, whole, and instants and points of curves in it;
    // - GPU work that was launched in the range, the activities before and after the range on each
    //   stream, and the calls that launched selected GPU work;
    // - allocations of memory that was held at the range's begin, with their calls, and the value
    //   of each curve at that time;
    // - the callers of all these.
    static TraceSelection in_range(const TraceContext& context, TimeRange range);

    bool holds(SliceRef slice) const { return slices_.empty() || slices_[slice.lane][slice.index]; }
    bool holds_instant(LaneId lane, uint32_t index) const {
        return instants_.empty() || instants_[lane][index];
    }
    // Whether there is no slice or instant in the range.
    bool is_empty() const { return is_empty_; }
    // The curve's points [first, last).
    std::pair<std::size_t, std::size_t> points(const CounterSeries& curve) const;

  private:
    void add_slices(const Trace& trace);
    void add_neighbours(const Trace& trace);
    void add_work(const Trace& trace);
    void add_memory(const TraceContext& context);
    void add_with_callers(const Trace& trace, SliceRef slice);

    TimeRange range_;
    bool is_empty_ = false;
    // By lane and index; empty: everything.
    std::vector<std::vector<bool>> slices_;
    std::vector<std::vector<bool>> instants_;
};

}  // namespace lanescope
