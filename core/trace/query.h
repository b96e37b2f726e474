// Queries on slices by binary search: the slice at a time, its parent, children and neighbours.
#pragma once

#include <optional>
#include <span>

#include "core/trace/trace.h"

namespace lanescope {

// The slice of `depth` in the lane that covers `t`, or none.
SliceRef slice_at(const Trace& trace, LaneId lane, uint32_t depth, Nanos t);
uint32_t depth_of(const Trace& trace, SliceRef slice);
SliceRef parent_of(const Trace& trace, SliceRef slice);
SliceRef first_child_of(const Trace& trace, SliceRef slice);
// The next or previous slice of the same depth.
SliceRef next_in_row(const Trace& trace, SliceRef slice);
SliceRef previous_in_row(const Trace& trace, SliceRef slice);
// The duration minus the part of it that direct children cover.
Nanos self_time(const Trace& trace, SliceRef slice);

std::span<const Link> links_from(const Trace& trace, SliceRef slice);
// links_from() for slices in ascending order, in linear time.
class LinkCursor {
  public:
    explicit LinkCursor(const Trace& trace) : links_(trace.links) {}

    std::span<const Link> from(SliceRef slice) {
        while (next_ < links_.size() && links_[next_].from < slice) ++next_;
        std::size_t end = next_;
        while (end < links_.size() && links_[end].from == slice) ++end;
        return links_.subspan(next_, end - next_);
    }

  private:
    std::span<const Link> links_;
    std::size_t next_ = 0;
};
// Indices into Trace::links of the links that end at the slice.
std::span<const uint32_t> links_to(const Trace& trace, SliceRef slice);

}  // namespace lanescope
