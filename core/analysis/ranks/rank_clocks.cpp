#include "core/analysis/ranks/rank_clocks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace lanescope {

namespace {

constexpr int kTiers = 3;
constexpr int kUnsolved = kTiers;
constexpr int kRefinements = 2;

// How precisely a call's end is the same moment on all ranks: 0 is best.
int tier_of(const RankCall& call) {
    if (waits_for_all(call.kind)) return call.on_host ? 1 : 0;
    return call.kind == CollectiveType::send_receive ? 2 : 1;
}

// The end of a call as a clock shows it, and as the other clocks predict it.
struct ClockEnd {
    Nanos expected = 0;
    Nanos shown = 0;
};

class ClockFitter {
  public:
    ClockFitter(const RankData& data, const MatchedRanks& matched)
        : data_(data), matched_(matched) {
        std::map<int64_t, uint32_t> clocks;  // by trace number
        for (const RankMember& member : data.members) {
            const auto [found, added] =
                clocks.try_emplace(member.trace, static_cast<uint32_t>(clocks.size()));
            result_.clock_of_member.push_back(found->second);
            if (added) lowest_rank_.push_back(member.rank);
            lowest_rank_[found->second] = std::min(lowest_rank_[found->second], member.rank);
        }
        result_.all.resize(clocks.size());
        tier_.resize(clocks.size(), kUnsolved);
    }

    RankClocks fit() {
        std::vector<uint32_t> order(result_.all.size());
        for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
        std::ranges::stable_sort(order, {}, [&](uint32_t c) { return lowest_rank_[c]; });
        for (const uint32_t reference : order) {
            if (tier_[reference] != kUnsolved) continue;
            result_.all[reference].component = result_.components++;
            tier_[reference] = 0;
            grow();
            for (int round = 0; round < kRefinements; ++round) refine(reference);
            name_reference(reference);
        }
        return std::move(result_);
    }

  private:
    uint32_t clock_of(uint32_t call) const {
        return result_.clock_of_member[data_.calls[call].member];
    }
    bool is_current(uint32_t clock) const {
        return tier_[clock] != kUnsolved && result_.all[clock].component + 1 == result_.components;
    }

    // Solves clocks one by one from those already solved, using the most precise calls first.
    void grow() {
        for (int tier = 0; tier < kTiers;) {
            tier = add_clocks(tier) ? 0 : tier + 1;
        }
    }

    bool add_clocks(int tier) {
        std::map<uint32_t, std::vector<ClockEnd>> ends;
        std::vector<double> errors;
        for (const MatchedCall& matched_call : matched_.calls) {
            const auto members = matched_.members_of(matched_call);
            if (tier_of(data_.calls[members.front()]) != tier) continue;
            const auto known = [&](uint32_t call) { return is_current(clock_of(call)); };
            if (std::ranges::none_of(members, known) || std::ranges::all_of(members, known))
                continue;
            const Nanos expected = middle_end(members, errors);
            for (const uint32_t call : members)
                if (tier_[clock_of(call)] == kUnsolved)
                    ends[clock_of(call)].push_back({expected, data_.calls[call].time.end});
        }
        const double error = median_of(errors);
        for (const auto& [clock, of_clock] : ends) {
            set_clock(clock, of_clock, error);
            tier_[clock] = tier;
            result_.all[clock].component = result_.components - 1;
        }
        return !ends.empty();
    }

    // The median of the corrected ends on the solved clocks. Appends the offset errors of these
    // clocks to `errors`.
    Nanos middle_end(std::span<const uint32_t> members, std::vector<double>& errors) const {
        std::vector<double> rests;
        Nanos base = 0;
        for (const uint32_t call : members) {
            const RankClock& clock = result_.all[clock_of(call)];
            if (!is_current(clock_of(call))) continue;
            const Nanos end = clock.corrected(data_.calls[call].time.end);
            if (rests.empty()) base = end;
            rests.push_back(static_cast<double>(end - base));
            errors.push_back(clock.offset_error);
        }
        return base + std::llround(median_of(rests));
    }

    void set_clock(uint32_t index, const std::vector<ClockEnd>& ends, double error) {
        const ClockEnd first = ends.front();
        const Nanos base = first.shown - first.expected;
        std::vector<LinePoint> points;
        points.reserve(ends.size());
        for (const ClockEnd& end : ends)
            points.push_back({static_cast<double>(end.expected - first.expected),
                              static_cast<double>(end.shown - end.expected - base)});
        const RobustLine line = fit_line(std::move(points));
        RankClock& clock = result_.all[index];
        clock.basis = line.has_slope ? ClockBasis::line : ClockBasis::offset;
        clock.offset = base + std::llround(line.offset);
        clock.at = first.expected + std::llround(line.centre) + clock.offset;
        // Converts the slope over expected time to a drift over the clock's own time.
        clock.drift = line.slope / (1 + line.slope);
        clock.offset_error = combined_error(line.offset_error, error);
        clock.drift_error = line.slope_error;
        clock.residual = line.residual;
        clock.ends = ends.size();
    }

    // Fits each clock to the median of all clocks, so that the noise of a single clock does not
    // affect the others.
    void refine(uint32_t reference) {
        std::vector<std::vector<ClockEnd>> ends(result_.all.size());
        std::vector<double> ignored;
        for (const MatchedCall& call : matched_.calls) {
            const auto members = matched_.members_of(call);
            if (members.size() < 3 || !is_current(clock_of(members.front()))) continue;
            const int tier = tier_of(data_.calls[members.front()]);
            const Nanos expected = middle_end(members, ignored);
            ignored.clear();
            for (const uint32_t one : members)
                if (tier_[clock_of(one)] == tier)
                    ends[clock_of(one)].push_back({expected, data_.calls[one].time.end});
        }
        if (ends[reference].empty()) return;
        for (uint32_t c = 0; c < ends.size(); ++c)
            if (is_current(c) && !ends[c].empty() && result_.all[c].ends <= ends[c].size())
                set_clock(c, ends[c], 0);
        anchor(reference);
    }

    // Expresses all clocks of the component in the reference's time.
    void anchor(uint32_t reference) {
        const RankClock from = result_.all[reference];
        for (uint32_t c = 0; c < result_.all.size(); ++c) {
            if (!is_current(c)) continue;
            RankClock& clock = result_.all[c];
            const auto beside =
                static_cast<double>(clock.at - clock.offset - (from.at - from.offset));
            const Nanos shown = from.at + std::llround(beside / (1 - from.drift));
            clock.offset = clock.at - shown;
            clock.drift = 1 - (1 - clock.drift) / (1 - from.drift);
            clock.offset_error = combined_error(clock.offset_error, from.offset_error);
            if (from.basis == ClockBasis::line && clock.basis == ClockBasis::offset)
                clock.basis = ClockBasis::line;
        }
    }

    void name_reference(uint32_t reference) {
        RankClock named;
        named.component = result_.components - 1;
        named.residual = result_.all[reference].residual;
        named.ends = result_.all[reference].ends;
        for (uint32_t c = 0; c < result_.all.size(); ++c)
            if (is_current(c) && (c != reference || result_.all.size() == 1))
                named.basis = ClockBasis::reference;
        result_.all[reference] = named;
    }

    const RankData& data_;
    const MatchedRanks& matched_;
    RankClocks result_;
    std::vector<int64_t> lowest_rank_;  // by clock
    std::vector<int> tier_;             // by clock: precision of the calls that it was fitted to
};

}  // namespace

std::string_view clock_basis_name(ClockBasis basis) {
    constexpr std::array<std::string_view, 4> names = {"none", "reference", "offset", "line"};
    return names[static_cast<std::size_t>(basis)];
}

Nanos RankClock::corrected(Nanos time) const {
    return time - offset - std::llround(drift * static_cast<double>(time - at));
}

RankClocks fit_clocks(const RankData& data, const MatchedRanks& matched) {
    return ClockFitter(data, matched).fit();
}

}  // namespace lanescope
