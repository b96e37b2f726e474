// Matches: which slices an expression holds for, as a bit for each, and steps from one to another.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/search/expression.h"
#include "core/trace/trace.h"

namespace lanescope {

struct LaneMatches {
    std::vector<uint64_t> bits;    // by index in the lane, 64 a word; empty: none match
    std::vector<uint32_t> before;  // how many match before each word
    uint32_t count = 0;

    bool test(uint32_t index) const {
        return !bits.empty() && (bits[index / 64] >> (index % 64) & 1) != 0;
    }
    // Of the slices [begin, end).
    uint32_t count_in(uint32_t begin, uint32_t end) const;
    // The first at or after `index`, and the last before `index`; `no_index` when there is none.
    uint32_t next(uint32_t index) const;
    uint32_t previous(uint32_t index) const;
    // To be called when the bits are set: counts them.
    void seal();

  private:
    uint32_t before_index(uint32_t index) const;
};

struct Matches {
    TracePtr trace;
    std::vector<LaneMatches> lanes;  // as Trace::lanes
    uint64_t count = 0;

    bool test(SliceRef slice) const { return lanes[slice.lane].test(slice.index); }
};

// Those for which all terms hold, of what begins in the range. Each name and category is looked at
// once, then all slices by number on `workers` threads (0: one for each core). Terms about
// arguments that are not kept are passed over: see search_arguments().
Matches find_matches(TracePtr trace, const SearchExpression& expression,
                     std::optional<TimeRange> range = {}, unsigned workers = 0);

// Those of them that begin in the range.
Matches matches_within(const Matches& matches, TimeRange range);

// In order of start, then lane, then index. None where there is none.
SliceRef first_match_from(const Matches& matches, Nanos time);
SliceRef last_match_before(const Matches& matches, Nanos time);
SliceRef match_after(const Matches& matches, SliceRef slice);
SliceRef match_before(const Matches& matches, SliceRef slice);
// How many stand before the slice in that order.
uint64_t matches_before(const Matches& matches, SliceRef slice);

// All of them in that order, or the first `most`. Sorts: not for a frame.
std::vector<SliceRef> matches_by_time(const Matches& matches, std::size_t most = ~std::size_t{0});

}  // namespace lanescope
