// The comparison of the ranks of open traces, with the calls that a slice belongs to.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/analysis/ranks/rank_grid.h"

namespace lanescope {

struct OpenRanks {
    RankData data;
    RankComparison result;
    RankGrid grid;
    // Collectives, and the calls that launched them, with their matched call; sorted by slice.
    std::vector<std::pair<SliceRef, uint32_t>> by_slice;

    // Null: not matched with a call of another rank.
    const MatchedCall* call_of(SliceRef slice) const;
    // What a rank did in a matched call or a cell of the grid.
    const RankCall& call(uint32_t index) const { return data.calls[index]; }
};

// `parts`: of a joined trace, or a single trace with several GPUs. Null if there is one rank only.
std::shared_ptr<const OpenRanks> compare_open_ranks(std::span<const TraceContext* const> parts);

}  // namespace lanescope
