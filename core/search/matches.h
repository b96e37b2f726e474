// Matches: the slices that an expression matches, as one bit each, and steps between them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/search/expression.h"
#include "core/table/query.h"
#include "core/trace/trace.h"

namespace lanescope {

struct LaneMatches {
    std::vector<uint64_t> bits;    // by index in the lane, 64 a word; empty: none match
    std::vector<uint32_t> before;  // number of matches before each word
    uint32_t count = 0;

    bool test(uint32_t index) const {
        return !bits.empty() && (bits[index / 64] >> (index % 64) & 1) != 0;
    }
    // Matches among the slices [begin, end).
    uint32_t count_in(uint32_t begin, uint32_t end) const;
    // The first match at or after `index`, and the last before `index`; `no_index` if there is
    // none.
    uint32_t next(uint32_t index) const;
    uint32_t previous(uint32_t index) const;
    // Counts the bits; to be called when they are set.
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

// The slices that begin in the range and match all terms. Each name and category is tested once,
// then all slices by number on `workers` threads (0: one for each core). Terms on arguments that
// are not stored are ignored: see search_arguments().
Matches find_matches(TracePtr trace, const SearchExpression& expression,
                     std::optional<TimeRange> range = {}, unsigned workers = 0);

// The matches that begin in the range, or belong to its steps.
Matches matches_within(const Matches& matches, const TableQuery& query);

// In order of start, lane, index. Returns an empty SliceRef if there is none.
SliceRef first_match_from(const Matches& matches, Nanos time);
SliceRef last_match_before(const Matches& matches, Nanos time);
SliceRef match_after(const Matches& matches, SliceRef slice);
SliceRef match_before(const Matches& matches, SliceRef slice);
// The number of matches before the slice in that order.
uint64_t matches_before(const Matches& matches, SliceRef slice);

// All matches in that order, or the first `limit`. Sorts: too slow for a frame.
std::vector<SliceRef> matches_by_time(const Matches& matches, std::size_t limit = ~std::size_t{0});

}  // namespace lanescope
