// OpenRanges: which annotation is open on a thread at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "core/base/nanos.h"
#include "core/trace/trace.h"

namespace lanescope {

// Which annotation is the innermost one on a thread, for times in ascending order.
class OpenRanges {
  public:
    OpenRanges(const Trace& trace, LaneId lane);

    // Calls visit(part, range) for the parts of [begin, end); `range` is none outside of ranges.
    // Times must not go back from one call to the next.
    template <typename Visit>
    void visit(Nanos begin, Nanos end, const Visit& visit_part) {
        while (next_ < parts_.size() && parts_[next_].time.end <= begin) ++next_;
        for (std::size_t i = next_; i < parts_.size() && parts_[i].time.begin < end; ++i) {
            const TimeRange& time = parts_[i].time;
            if (time.begin > begin) visit_part(time.begin - begin, SliceRef());
            begin = std::max(begin, time.begin);
            visit_part(std::min(end, time.end) - begin, parts_[i].range);
            begin = std::min(end, time.end);
        }
        if (begin < end) visit_part(end - begin, SliceRef());
    }

  private:
    struct Part {
        TimeRange time;
        SliceRef range;
    };

    void add(Nanos end, SliceRef range);

    std::vector<Part> parts_;  // in order of time, without overlaps
    std::size_t next_ = 0;
    Nanos at_ = std::numeric_limits<Nanos>::min();
};

}  // namespace lanescope
