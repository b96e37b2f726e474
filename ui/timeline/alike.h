// All slices like one: those of its name and category, to be marked, counted and stepped through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/siblings.h"
#include "core/trace/trace.h"

namespace lanescope {

struct Alike {
    SiblingKind kind;
    std::string name;
    std::vector<SliceRef> slices;  // in order of time
    Nanos total = 0;
    // Where they begin, by lane, ascending; empty for lanes that have none.
    std::vector<std::vector<Nanos>> starts;

    static constexpr std::size_t nowhere = ~std::size_t{0};
    // The place of a slice among `slices`, or nowhere.
    std::size_t place(const Trace& trace, SliceRef slice) const;
};

// Of what begins in the range; reads every slice: not for a frame.
Alike find_alike(const Trace& trace, const TableQuery& query, SliceRef slice);

// The next in time, or the one before; round the ends. From a slice that is not among them: the
// nearest in that direction. From none: the first, or the last.
SliceRef step_alike(const Trace& trace, const Alike& alike, SliceRef from, bool forward);

}  // namespace lanescope
