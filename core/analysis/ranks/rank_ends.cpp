// Estimates offsets between clocks from the ends of calls that are not matched yet: with the right
// offset, the most calls end together.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "core/analysis/ranks/rank_match.h"

namespace lanescope {

namespace {

constexpr std::size_t kLeastVotes = 3;
constexpr std::size_t kMostPairs = 2'000'000;  // pairs of ends to compare

// Properties that a call has in common on all ranks: group, kind, step and size.
using EndKey = std::tuple<StringId, CollectiveType, int64_t, int64_t>;
using EndsOfTrace = std::map<EndKey, std::vector<Nanos>>;

EndKey end_key(const RankCall& call) {
    return {call.group, call.kind, call.step, sends_one_size(call.kind) ? call.bytes : kNoValue};
}

// The middle of the range of length kSameEnd that holds the most differences; on a tie, the middle
// nearest to 0.
std::optional<Nanos> most_frequent_offset(std::vector<Nanos> differences) {
    std::ranges::sort(differences);
    std::size_t first = 0;
    std::size_t most = kLeastVotes - 1;
    std::optional<Nanos> best;
    for (std::size_t i = 0; i < differences.size(); ++i) {
        while (differences[i] - differences[first] > kSameEnd) ++first;
        const std::size_t votes = i - first + 1;
        const Nanos middle = differences[first + votes / 2];
        const bool is_nearer = votes == most && best && std::abs(middle) < std::abs(*best);
        if (votes <= most && !is_nearer) continue;
        most = votes;
        best = middle;
    }
    return best;
}

std::optional<Nanos> offset_between(const EndsOfTrace& reference, const EndsOfTrace& other) {
    std::vector<Nanos> differences;
    for (const auto& [key, ends] : other) {
        const auto found = reference.find(key);
        if (found == reference.end()) continue;
        for (const Nanos own : ends)
            for (const Nanos end : found->second)
                if (differences.size() < kMostPairs) differences.push_back(own - end);
    }
    return most_frequent_offset(std::move(differences));
}

}  // namespace

ClockOffsets offsets_of_ends(const RankData& data, const std::vector<bool>& is_left_out) {
    std::map<int64_t, EndsOfTrace> traces;
    for (const RankCall& call : data.calls)
        if (!is_left_out[call.member] && call.sequence == kNoValue && waits_for_all(call.kind))
            traces[data.members[call.member].trace][end_key(call)].push_back(call.time.end);
    ClockOffsets offsets(data.members.size());
    if (traces.empty()) return offsets;
    const auto& [reference, ends] = *traces.begin();
    std::map<int64_t, std::optional<Nanos>> by_trace;
    for (const auto& [trace, own] : traces)
        by_trace[trace] = trace == reference ? Nanos{0} : offset_between(ends, own);
    for (std::size_t m = 0; m < offsets.size(); ++m)
        if (const auto found = by_trace.find(data.members[m].trace); found != by_trace.end())
            offsets[m] = found->second;
    return offsets;
}

}  // namespace lanescope
