#include "core/analysis/ranks/compare_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "core/base/format.h"

namespace lanescope {

namespace {

constexpr Nanos kApart = 3'600'000'000'000;
constexpr std::size_t kMostMissing = 8;  // ranks that are named

class RankSet {
  public:
    RankSet(const RankData& data, RankComparison& result) : data_(data), result_(result) {
        result.left_out.resize(data.members.size());
    }

    void check() {
        leave_out_other_jobs();
        leave_out_repeated_ranks();
        name_missing_ranks();
        name_silent_ranks();
    }

    void check_clocks() {
        std::map<uint32_t, uint32_t> lowest;  // the first member of each component
        std::set<uint32_t> named;
        for (uint32_t m = 0; m < data_.members.size(); ++m) {
            if (result_.left_out[m]) continue;
            const RankClock& clock = result_.clocks.of(m);
            lowest.try_emplace(clock.component, m);
            if (!named.insert(result_.clocks.clock_of_member[m]).second) continue;
            if (std::abs(clock.offset) > kApart)
                add(RankProblemKind::clock_apart, m,
                    fmt::format("The clock of {} differs by {} from that of the reference",
                                member_name(data_.members[m]),
                                format_duration(static_cast<double>(clock.offset))));
        }
        for (const auto& [component, m] : lowest)
            if (component > 0 && has_calls(m))
                add(RankProblemKind::not_connected, m,
                    fmt::format("No collective of {} is one of the ranks before it",
                                member_name(data_.members[m])));
    }

  private:
    void add(RankProblemKind kind, uint32_t member, std::string text) {
        const RankMember& own = data_.members[member];
        result_.problems.push_back({kind, own.trace, own.rank, std::move(text)});
    }

    bool has_calls(uint32_t member) const {
        const auto found = std::ranges::lower_bound(data_.calls, member, {}, &RankCall::member);
        return found != data_.calls.end() && found->member == member;
    }

    void leave_out_other_jobs() {
        std::map<int64_t, std::size_t> counts;
        for (const RankMember& member : data_.members)
            if (member.world_size != kNoValue) ++counts[member.world_size];
        if (counts.size() < 2) return;
        // Of equally frequent sizes, that of the first member.
        int64_t size = kNoValue;
        for (const RankMember& member : data_.members)
            if (member.world_size != kNoValue &&
                (size == kNoValue || counts[member.world_size] > counts[size]))
                size = member.world_size;
        for (uint32_t m = 0; m < data_.members.size(); ++m) {
            const RankMember& member = data_.members[m];
            if (member.world_size == kNoValue || member.world_size == size) continue;
            result_.left_out[m] = true;
            add(RankProblemKind::other_job, m,
                fmt::format("{} is of a job of {} ranks, most others are of one of {}",
                            member_name(member), member.world_size, size));
        }
    }

    void leave_out_repeated_ranks() {
        std::set<int64_t> seen;
        for (uint32_t m = 0; m < data_.members.size(); ++m) {
            const RankMember& member = data_.members[m];
            if (result_.left_out[m] || !member.is_rank_known || seen.insert(member.rank).second)
                continue;
            result_.left_out[m] = true;
            add(RankProblemKind::rank_twice, m,
                fmt::format("Rank {} is there twice; this recording of it is left out",
                            member.rank));
        }
    }

    void name_missing_ranks() {
        std::set<int64_t> here;
        int64_t size = kNoValue;
        for (uint32_t m = 0; m < data_.members.size(); ++m) {
            const RankMember& member = data_.members[m];
            if (result_.left_out[m] || !member.is_rank_known) continue;
            here.insert(member.rank);
            size = std::max(size, member.world_size);
        }
        if (size == kNoValue || static_cast<int64_t>(here.size()) >= size) return;
        std::string names;
        std::size_t missing = 0;
        int64_t first = kNoValue;
        for (int64_t rank = 0; rank < size && missing < kMostMissing; ++rank) {
            if (here.contains(rank)) continue;
            if (missing++ == 0) first = rank;
            names += fmt::format("{}{}", names.empty() ? "" : ", ", rank);
        }
        const auto all = static_cast<std::size_t>(size) - here.size();
        if (all > missing) names += fmt::format(" and {} more", all - missing);
        result_.problems.push_back({RankProblemKind::rank_missing, kNoValue, first,
                                    fmt::format("Of {} ranks, {} {} missing: {}", size, all,
                                                all == 1 ? "is" : "are", names)});
    }

    void name_silent_ranks() {
        for (uint32_t m = 0; m < data_.members.size(); ++m)
            if (!result_.left_out[m] && !has_calls(m))
                add(RankProblemKind::no_collectives, m,
                    fmt::format("{} has no collectives", member_name(data_.members[m])));
    }

    const RankData& data_;
    RankComparison& result_;
};

// Whether calls were matched by number that do not end together: some are not recorded.
bool has_wrong_numbers(const RankData& data, const RankComparison& result) {
    for (const MatchedCall& call : result.matched.calls) {
        if (data.calls[call.row].sequence != kNoValue) continue;
        for (const uint32_t one : result.matched.members_of(call))
            if (result.clocks.of(data.calls[one].member).residual > kSameEnd) return true;
    }
    return false;
}

void match(const RankData& data, RankComparison& result) {
    result.matched = match_ranks(data, result.left_out);
    result.clocks = fit_clocks(data, result.matched);
    if (!has_wrong_numbers(data, result)) return;
    result.matched =
        match_ranks_by_ends(data, result.left_out, offsets_of_ends(data, result.left_out));
    result.clocks = fit_clocks(data, result.matched);
}

}  // namespace

std::string_view rank_problem_name(RankProblemKind kind) {
    constexpr std::array<std::string_view, 6> names = {"rank-twice",     "rank-missing",
                                                       "other-job",      "clock-apart",
                                                       "no-collectives", "not-connected"};
    return names[static_cast<std::size_t>(kind)];
}

RankComparison compare_ranks(const RankData& data, const RankLimits& limits) {
    RankComparison result;
    RankSet ranks(data, result);
    ranks.check();
    match(data, result);
    result.waits = rank_waits(data, result.matched, result.clocks);
    result.causes = late_causes(data, result.matched, result.waits, limits);
    result.verdicts = rank_verdicts(data, result.matched, result.waits, result.causes, limits);
    ranks.check_clocks();
    return result;
}

OwnRankComparison OwnRankComparison::compute(const TraceContext& context) {
    return {compare_ranks(context.get<OwnRanks>().data)};
}

}  // namespace lanescope
