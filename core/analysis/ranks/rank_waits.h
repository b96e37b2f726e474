// Which rank arrived last at each matched call, and how long the others waited.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/ranks/rank_clocks.h"
#include "core/analysis/ranks/rank_match.h"

namespace lanescope {

// A rank's part in a matched call. Times are on the reference's clock.
struct RankArrival {
    uint32_t call = 0;  // index in RankData::calls
    uint32_t member = 0;
    TimeRange time;
    Nanos lateness = 0;  // start − median start of all ranks; of two ranks, − the other's start
    Nanos wait = 0;  // from this rank's start to the last rank's start, at most to this rank's end
};

// The waits in one matched call. An unknown error is 0.
struct CallWait {
    uint32_t last = 0;  // index in RankWaits::arrivals of the rank that started last
    Nanos first_begin = 0;
    Nanos last_begin = 0;
    Nanos end = 0;     // median of the ends
    Nanos wait = 0;    // sum over all ranks
    double error = 0;  // standard error of the spread, from the noise of both clocks, ns

    Nanos spread() const { return last_begin - first_begin; }
    // Time from the last rank's start to the median end.
    Nanos transfer() const { return end - last_begin; }
};

// Sums over the calls of one rank.
struct RankTotals {
    uint64_t calls = 0;    // all recorded calls
    uint64_t matched = 0;  // calls that match
    Nanos waited = 0;      // wait for ranks that arrived later
    double waited_error = 0;
    Nanos caused = 0;   // wait of other ranks for this rank
    uint64_t last = 0;  // number of calls to which this rank came last
};

// How long one rank waited for another rank that came last.
struct RankBlame {
    uint32_t late = 0;     // member that came last
    uint32_t waiting = 0;  // member that waited
    uint64_t calls = 0;
    Nanos wait = 0;
    double error = 0;
};

struct RankWaits {
    std::vector<RankArrival> arrivals;  // parallel to MatchedRanks::arrivals
    std::vector<CallWait> calls;        // parallel to MatchedRanks::calls
    std::vector<RankTotals> totals;     // by member
    std::vector<RankBlame> blame;       // sorted by (late, waiting)

    std::span<const RankArrival> members_of(const MatchedCall& call) const {
        return std::span(arrivals).subspan(call.first, call.count);
    }
};

// Computes waits on corrected clocks.
RankWaits rank_waits(const RankData& data, const MatchedRanks& matched, const RankClocks& clocks);

}  // namespace lanescope
