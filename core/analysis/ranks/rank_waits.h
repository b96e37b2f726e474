// Who came last to matched calls, and how long the others waited.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/ranks/rank_clocks.h"
#include "core/analysis/ranks/rank_match.h"

namespace lanescope {

// A rank's part in a matched call. Times are corrected: on the clock of the reference.
struct RankArrival {
    uint32_t call = 0;  // index in RankData::calls
    uint32_t member = 0;
    TimeRange time;
    Nanos lateness = 0;  // its begin, minus the median begin of all ranks; of two, the other one's
    Nanos wait = 0;      // until the last rank began, but not after the own end
};

// Of a matched call. Unknown errors are 0.
struct CallWait {
    uint32_t last = 0;  // the arrival that began last: index in RankWaits::arrivals
    Nanos first_begin = 0;
    Nanos last_begin = 0;
    Nanos end = 0;     // the median end
    Nanos wait = 0;    // sum over the ranks
    double error = 0;  // standard deviation of the spread, by the noise of both clocks

    Nanos spread() const { return last_begin - first_begin; }
    // From the moment at which all ranks were there.
    Nanos transfer() const { return end - last_begin; }
};

struct RankTotals {
    uint64_t calls = 0;    // of the recording
    uint64_t matched = 0;  // of these
    Nanos waited = 0;      // for later ranks
    double waited_error = 0;
    Nanos caused = 0;   // that other ranks waited for this one
    uint64_t last = 0;  // calls in which it came last
};

// What one rank waited for another one, which came last.
struct RankBlame {
    uint32_t late = 0;  // members
    uint32_t waiting = 0;
    uint64_t calls = 0;
    Nanos wait = 0;
    double error = 0;
};

struct RankWaits {
    std::vector<RankArrival> arrivals;  // like MatchedRanks::arrivals
    std::vector<CallWait> calls;        // like MatchedRanks::calls
    std::vector<RankTotals> totals;     // by member
    std::vector<RankBlame> blame;       // by (late, waiting)

    std::span<const RankArrival> members_of(const MatchedCall& call) const {
        return std::span(arrivals).subspan(call.first, call.count);
    }
};

RankWaits rank_waits(const RankData& data, const MatchedRanks& matched, const RankClocks& clocks);

}  // namespace lanescope
