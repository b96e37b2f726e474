// Matches collective calls between ranks: finds the calls that belong to the same collective.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/analysis/ranks/rank_data.h"

namespace lanescope {

// Combines two independent standard errors: √(a² + b²). (std::hypot would require a newer C library
// than the rest of the program.)
inline double combined_error(double a, double b) {
    return std::sqrt(a * a + b * b);
}

// Why a call matches no call of another rank.
enum class UnmatchedReason : uint8_t {
    no_peer,           // a send or receive whose other rank is not recorded
    group_is_absent,   // no other rank of the group, or not the peer, is given
    not_recorded,      // outside the time in which the other ranks recorded the group
    missing,           // the other ranks recorded calls before and after it, but not this call
    counts_differ,     // without sequences: the ranks recorded different numbers of calls in
                       // the step
    kind_differs,      // most ranks made a different kind of call with this number
    bytes_differ,      // most ranks sent a different size with this number
    ends_differ,       // without sequences: no call of another rank ends together with it
    repeated,          // the rank has an earlier call with the same number
    rank_is_left_out,  // the rank is left out of the comparison
};
std::string_view unmatched_reason_name(UnmatchedReason reason);

struct UnmatchedCall {
    uint32_t call = 0;  // index in RankData::calls
    UnmatchedReason reason = UnmatchedReason::missing;
};

// A matched call. The calls of its members are MatchedRanks::arrivals[first, first + count), sorted
// by member.
struct MatchedCall {
    uint32_t first = 0;
    uint32_t count = 0;
    uint32_t row = 0;  // index in RankData::calls of the first call: has kind, group and bytes
    uint32_t call_class = 0;  // calls of one class are made one after another on each rank
    int64_t number = 0;       // the sequence, or the index within the step, from 0
};

struct MatchedRanks {
    std::vector<MatchedCall> calls;  // sorted by (class, step, number)
    std::vector<uint32_t> arrivals;  // indices in RankData::calls
    std::vector<UnmatchedCall> unmatched;

    std::span<const uint32_t> members_of(const MatchedCall& call) const {
        return std::span(arrivals).subspan(call.first, call.count);
    }
};

// Matches calls within a class: a process group; for sends and receives, two ranks and a direction;
// without a recorded group, a kind. Calls match by sequence if all calls of the class have one,
// otherwise by their number in the step if all ranks made the same number of calls. If the numbers
// differ, ranks that share a clock match by time. `is_left_out`: by member.
MatchedRanks match_ranks(const RankData& data, const std::vector<bool>& is_left_out);

// By member: how far its clock is ahead of a reference clock, in ns; empty: unknown.
using ClockOffsets = std::vector<std::optional<Nanos>>;
// Like match_ranks(), but calls without a sequence match if they end together after the offsets are
// subtracted.
MatchedRanks match_ranks_by_ends(const RankData& data, const std::vector<bool>& is_left_out,
                                 const ClockOffsets& offsets);

// The offsets with which the most calls without a sequence end together. At least three calls must
// agree; otherwise the offset is unknown.
ClockOffsets offsets_of_ends(const RankData& data, const std::vector<bool>& is_left_out);

// Calls that end within this time of each other, in ns, end together.
inline constexpr Nanos kSameEnd = 1'000'000;
// Whether all ranks send the same size in collectives of this kind.
bool sends_one_size(CollectiveType kind);

// Whether a collective of this kind ends only after all ranks have started it, so that it ends
// everywhere at the same moment.
bool waits_for_all(CollectiveType kind);

}  // namespace lanescope
