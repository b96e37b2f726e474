#include "core/analysis/ranks/rank_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/base/format.h"

namespace lanescope {

namespace {

constexpr Nanos kApart = 3'600'000'000'000;
constexpr std::size_t kMostMissing = 8;  // ranks that are named
// Crystal oscillators differ by less than 100 ppm, and corrections of the network's time by less
// than 500 ppm (the limit of adjtimex(2)).
constexpr double kMostDrift = 500e-6;

std::string other_run_text(const std::string& name, double drift, const RankClock& clock) {
    if (std::abs(drift) > kMostDrift)
        return fmt::format(
            "The clock of {} would run {:.3g} % {} than those of the others, more than clocks "
            "differ: it was not recorded in the same run",
            name, 100 * std::abs(drift), drift > 0 ? "faster" : "slower");
    return fmt::format(
        "The collectives of {} end ± {} apart from those of the others: it was not recorded in the "
        "same run",
        name, format_duration(clock.residual));
}

}  // namespace

std::string_view rank_problem_name(RankProblemKind kind) {
    constexpr std::array<std::string_view, 10> names = {
        "rank-twice", "rank-missing", "rank-impossible", "rank-by-order", "other-job",
        "other-run",  "clock-apart",  "no-collectives",  "not-connected", "nothing-compared"};
    return names[static_cast<std::size_t>(kind)];
}

RankSet::RankSet(const RankData& data) : data_(data), left_out_(data.members.size()) {}

void RankSet::check() {
    leave_out_other_jobs();
    leave_out_impossible_ranks();
    leave_out_repeated_ranks();
    name_ranks_by_order();
    name_missing_ranks();
    name_silent_ranks();
}

void RankSet::add(RankProblemKind kind, uint32_t member, std::string text) {
    const RankMember& own = data_.members[member];
    problems_.push_back({kind, own.trace, own.rank, std::move(text)});
}

void RankSet::leave_out(RankProblemKind kind, uint32_t member, std::string text) {
    left_out_[member] = true;
    add(kind, member, std::move(text));
}

bool RankSet::has_calls(uint32_t member) const {
    const auto found = std::ranges::lower_bound(data_.calls, member, {}, &RankCall::member);
    return found != data_.calls.end() && found->member == member;
}

void RankSet::leave_out_other_jobs() {
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
        leave_out(
            RankProblemKind::other_job, m,
            fmt::format(
                "{} is of a job of {}; the compared ranks are of a job of {}", member_name(member),
                format_count(static_cast<uint64_t>(member.world_size), "rank", "ranks"), size));
    }
}

void RankSet::leave_out_impossible_ranks() {
    for (uint32_t m = 0; m < data_.members.size(); ++m) {
        const RankMember& member = data_.members[m];
        if (left_out_[m] || !member.is_rank_known()) continue;
        if (member.rank < 0)
            leave_out(RankProblemKind::rank_impossible, m,
                      fmt::format("{} is no rank of a job", member.rank));
        else if (member.world_size != kNoValue && member.rank >= member.world_size)
            leave_out(
                RankProblemKind::rank_impossible, m,
                fmt::format("A job of {} has no rank {}",
                            format_count(static_cast<uint64_t>(member.world_size), "rank", "ranks"),
                            member.rank));
    }
}

void RankSet::leave_out_repeated_ranks() {
    std::set<int64_t> seen;
    for (uint32_t m = 0; m < data_.members.size(); ++m) {
        const RankMember& member = data_.members[m];
        if (left_out_[m] || !member.is_rank_known() || seen.insert(member.rank).second) continue;
        leave_out(RankProblemKind::rank_twice, m,
                  fmt::format("There are several recordings of rank {}; this one is left out",
                              member.rank));
    }
}

void RankSet::name_ranks_by_order() {
    for (uint32_t m = 0; m < data_.members.size(); ++m)
        if (!left_out_[m] && data_.members[m].rank_from == RankFrom::order)
            add(RankProblemKind::rank_by_order, m,
                fmt::format("Neither the file nor its name states the rank; by the order of the "
                            "files it is rank {}",
                            data_.members[m].rank));
}

void RankSet::name_missing_ranks() {
    std::set<int64_t> here;
    int64_t size = kNoValue;
    for (uint32_t m = 0; m < data_.members.size(); ++m) {
        const RankMember& member = data_.members[m];
        if (left_out_[m] || member.rank_from == RankFrom::device) continue;
        here.insert(member.rank);
        size = std::max(size, member.world_size);
    }
    if (size == kNoValue) return;
    std::erase_if(here, [&](int64_t rank) { return rank >= size; });
    if (static_cast<int64_t>(here.size()) >= size) return;
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
    problems_.push_back(
        {RankProblemKind::rank_missing, kNoValue, first,
         fmt::format("Of {} ranks, {} {} missing: {}", size, all, all == 1 ? "is" : "are", names)});
}

void RankSet::name_silent_ranks() {
    for (uint32_t m = 0; m < data_.members.size(); ++m)
        if (!left_out_[m] && !has_calls(m))
            add(RankProblemKind::no_collectives, m,
                fmt::format("{} has no collectives", member_name(data_.members[m])));
}

bool RankSet::leave_out_other_runs(const MatchedRanks& matched, const RankClocks& clocks) {
    std::map<uint32_t, std::vector<uint32_t>> components;  // their clocks
    std::vector<bool> counts(clocks.all.size());           // calls on the GPU were matched
    for (const uint32_t one : matched.arrivals)
        if (!data_.calls[one].on_host)
            counts[clocks.clock_of_member[data_.calls[one].member]] = true;
    for (uint32_t c = 0; c < clocks.all.size(); ++c)
        if (clocks.all[c].basis != ClockBasis::none)
            components[clocks.all[c].component].push_back(c);
    std::map<uint32_t, double> others;  // clocks of another run, with their drift
    for (const auto& [component, members] : components) {
        std::vector<double> drifts;
        for (const uint32_t c : members) drifts.push_back(clocks.all[c].drift);
        const double usual = median_of(drifts);
        // Of two clocks, either may be the wrong one.
        const double most = members.size() == 2 ? kMostDrift / 2 : kMostDrift;
        for (const uint32_t c : members) {
            // How much faster it runs than the usual clock: a rate is 1 / (1 − drift).
            const double drift = (1 - usual) / (1 - clocks.all[c].drift) - 1;
            const bool is_apart = counts[c] && clocks.all[c].residual > kSameEnd;
            if (std::abs(drift) > most || is_apart)
                others[c] = members.size() == 2 ? 2 * drift : drift;
        }
    }
    for (uint32_t m = 0; m < data_.members.size(); ++m) {
        const auto found = others.find(clocks.clock_of_member[m]);
        if (left_out_[m] || found == others.end()) continue;
        leave_out(
            RankProblemKind::other_run, m,
            other_run_text(member_name(data_.members[m]), found->second, clocks.all[found->first]));
    }
    return !others.empty();
}

void RankSet::check_clocks(const MatchedRanks& matched, const RankClocks& clocks) {
    std::map<uint32_t, uint32_t> lowest;  // the first member of each component
    std::set<uint32_t> named;
    for (uint32_t m = 0; m < data_.members.size(); ++m) {
        if (left_out_[m]) continue;
        const RankClock& clock = clocks.of(m);
        lowest.try_emplace(clock.component, m);
        if (!named.insert(clocks.clock_of_member[m]).second) continue;
        if (std::abs(clock.offset) > kApart)
            add(RankProblemKind::clock_apart, m,
                fmt::format("The clock of {} differs by {} from that of the reference",
                            member_name(data_.members[m]),
                            format_duration(static_cast<double>(clock.offset))));
    }
    for (const auto& [component, m] : lowest)
        if (m != lowest.begin()->second && has_calls(m))
            add(RankProblemKind::not_connected, m,
                fmt::format("No collective of {} is one of the ranks before it",
                            member_name(data_.members[m])));
    if (matched.calls.empty() && !data_.members.empty())
        problems_.push_back({RankProblemKind::nothing_compared, kNoValue, kNoValue,
                             "No collective was found on two ranks, so nothing is compared"});
}

}  // namespace lanescope
