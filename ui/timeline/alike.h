// All slices like the selected one (of its name and category), which can be marked, counted and
// stepped through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/statistics/siblings.h"
#include "core/trace/trace.h"

namespace lanescope {

struct Alike {
    SiblingKind kind;
    std::string name;
    std::vector<SliceRef> slices;  // in order of time
    Nanos total = 0;
    // Their begins by lane, ascending; empty for lanes that have none.
    std::vector<std::vector<Nanos>> starts;

    static constexpr std::size_t nowhere = ~std::size_t{0};
    // The index of a slice in `slices`; empty if it is not among them.
    std::size_t place(const Trace& trace, SliceRef slice) const;
};

// Counts slices that begin in the range; reads every slice: too slow for a frame.
Alike find_alike(const Trace& trace, const TableQuery& query, SliceRef slice);

// The next slice in time, or the previous one; wraps around. If `slice` is not in the list, returns
// the nearest one in that direction; if it is empty, the first or the last.
SliceRef step_alike(const Trace& trace, const Alike& alike, SliceRef from, bool forward);

}  // namespace lanescope
