// Ranks and steps: in which step the others waited for which rank.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/ranks/compare_ranks.h"

namespace lanescope {

// One rank in one step.
struct RankCell {
    Nanos caused = 0;         // that other ranks waited, added up, in calls to which it came last
    uint64_t calls = 0;       // matched calls
    uint64_t last = 0;        // of these, to which it came last
    uint32_t first = kNoRow;  // its first and last matched call, in RankData::calls;
    uint32_t final = kNoRow;  // kNoRow: none
};

struct RankGrid {
    std::vector<uint32_t> members;  // that are compared, by rank: in RankData::members
    std::vector<int64_t> steps;     // numbers of steps with matched calls, ascending
    std::vector<RankCell> cells;    // by member, then by step
    Nanos most_caused = 0;          // of a cell

    const RankCell& at(std::size_t member, std::size_t step) const {
        return cells[member * steps.size() + step];
    }
};

// Calls outside numbered steps do not count.
RankGrid rank_grid(const RankData& data, const RankComparison& result);

}  // namespace lanescope
