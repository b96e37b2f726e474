// The side tables of joined traces: all parts' rows one after another, and each part's own rows.
#pragma once

#include <memory>
#include <vector>

#include "core/trace/trace.h"

namespace lanescope {

// A part to be joined, and its place in the joined trace.
struct PlacedPart {
    const Trace* trace = nullptr;
    Nanos shift = 0;           // added to the part's present times
    LaneId lane_from = 0;      // the part's first own lane, in its present numbering …
    LaneId lane_to = 0;        // … and in the whole
    uint32_t config_from = 0;  // the part's first own launch configuration, likewise
    uint32_t config_count = 0;
    uint32_t config_to = 0;
    uint32_t link_to = 0;  // the place of the part's first link, which is 0 now
};

inline SliceRef moved(SliceRef slice, const PlacedPart& part) {
    if (!slice) return slice;
    return {slice.lane - part.lane_from + part.lane_to, slice.index};
}

void join_tables(const std::vector<PlacedPart>& parts, Trace& whole);
// Makes part `index` share its rows with `whole`.
void take_tables(const std::vector<PlacedPart>& parts, std::size_t index,
                 const std::shared_ptr<const Trace>& whole, Trace& part);

}  // namespace lanescope
