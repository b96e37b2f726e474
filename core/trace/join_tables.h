// The side tables of joined traces: those of the parts one behind the other, and each part's own
// rows of them.
#pragma once

#include <memory>
#include <vector>

#include "core/trace/trace.h"

namespace lanescope {

// A part that is to be joined, and where it goes.
struct PlacedPart {
    const Trace* trace = nullptr;
    Nanos shift = 0;           // of the times that it has now
    LaneId lane_from = 0;      // the first lane that is its own, as numbered now …
    LaneId lane_to = 0;        // … and in the whole
    uint32_t config_from = 0;  // likewise, of its launch configurations
    uint32_t config_count = 0;
    uint32_t config_to = 0;
    uint32_t link_to = 0;  // of its links, which begin at 0 now
};

inline SliceRef moved(SliceRef slice, const PlacedPart& part) {
    if (!slice) return slice;
    return {slice.lane - part.lane_from + part.lane_to, slice.index};
}

void join_tables(const std::vector<PlacedPart>& parts, Trace& whole);
// Shares the rows of part `index` with `whole`.
void take_tables(const std::vector<PlacedPart>& parts, std::size_t index,
                 const std::shared_ptr<const Trace>& whole, Trace& part);

}  // namespace lanescope
