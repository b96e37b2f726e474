// Matches the collective calls of ranks: which calls of several ranks are the same one.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/analysis/ranks/rank_data.h"

namespace lanescope {

// The error of the sum of two values with independent errors. (std::hypot would need a newer C
// library than everything else.)
inline double combined_error(double a, double b) {
    return std::sqrt(a * a + b * b);
}

// Why a call has no call of another rank beside it.
enum class UnmatchedReason : uint8_t {
    no_peer,           // a send or receive whose other rank is not recorded
    group_is_absent,   // no other rank of the group, or no such peer, is here
    not_recorded,      // before or after everything that the other ranks recorded of the group
    missing,           // the other ranks recorded calls around it, but not this one
    counts_differ,     // the ranks recorded different numbers of calls in the step, without
                       // sequence numbers
    kind_differs,      // most ranks made another kind of call under this number
    bytes_differ,      // most ranks sent another size under this number
    ends_differ,       // without sequence numbers, and no calls of the other ranks end together
    repeated,          // the rank has a second call of this number
    rank_is_left_out,  // the rank is not compared
};
std::string_view unmatched_reason_name(UnmatchedReason reason);

struct UnmatchedCall {
    uint32_t call = 0;  // index in RankData::calls
    UnmatchedReason reason = UnmatchedReason::missing;
};

// Members of a matched call are in MatchedRanks::arrivals[first, first + count), by member.
struct MatchedCall {
    uint32_t first = 0;
    uint32_t count = 0;
    uint32_t row = 0;         // index in RankData::calls of its first member: kind, group, bytes
    uint32_t call_class = 0;  // calls of one class follow each other on each rank
    int64_t number = 0;       // the sequence, or the number among those of its step, from 0
};

struct MatchedRanks {
    std::vector<MatchedCall> calls;  // by (class, step, number)
    std::vector<uint32_t> arrivals;  // indices in RankData::calls
    std::vector<UnmatchedCall> unmatched;

    std::span<const uint32_t> members_of(const MatchedCall& call) const {
        return std::span(arrivals).subspan(call.first, call.count);
    }
};

// A class of calls is a process group; of sends and receives, the two ranks and the direction;
// without a recorded group, a kind. Calls of one class match by their sequence if all have one;
// otherwise by their number in their step, if all ranks made equally many. Ranks with one clock
// then match by time. `is_left_out`: by member.
MatchedRanks match_ranks(const RankData& data, const std::vector<bool>& is_left_out);

// What clocks show more than that of one of them, by member; empty: not known.
using ClockOffsets = std::vector<std::optional<Nanos>>;
// The same, but calls without a sequence match if they end together on clocks with these offsets.
MatchedRanks match_ranks_by_ends(const RankData& data, const std::vector<bool>& is_left_out,
                                 const ClockOffsets& offsets);

// The offsets with which most calls without a sequence end together, at least three.
ClockOffsets offsets_of_ends(const RankData& data, const std::vector<bool>& is_left_out);

// Calls end together within this time.
inline constexpr Nanos kSameEnd = 1'000'000;
// Whether kinds send one size on all ranks.
bool sends_one_size(CollectiveType kind);

// Whether a collective of this kind ends only when all ranks have begun: the ends are one moment.
bool waits_for_all(CollectiveType kind);

}  // namespace lanescope
