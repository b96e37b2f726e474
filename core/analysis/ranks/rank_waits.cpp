#include "core/analysis/ranks/rank_waits.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace lanescope {

namespace {

// The median of sorted values, rounded down.
Nanos median_of_sorted(const std::vector<Nanos>& sorted) {
    const Nanos upper = sorted[sorted.size() / 2];
    const Nanos lower = sorted[(sorted.size() - 1) / 2];
    return lower + (upper - lower) / 2;
}

// Errors of a sum of waits. The errors of the clocks' offsets are the same in every call and add
// up; the noise is independent.
struct ErrorSum {
    double offsets = 0;
    double noise = 0;  // sum of squares

    void add(const RankClock& a, const RankClock& b) {
        if (&a == &b) return;
        offsets += combined_error(a.offset_error, b.offset_error);
        noise += a.residual * a.residual + b.residual * b.residual;
    }
    double error() const { return std::sqrt(offsets * offsets + noise); }
};

struct BlameSum {
    uint64_t calls = 0;
    Nanos wait = 0;
    ErrorSum errors;
};

class WaitCounter {
  public:
    WaitCounter(const RankData& data, const MatchedRanks& matched, const RankClocks& clocks)
        : data_(data), matched_(matched), clocks_(clocks), waited_(data.members.size()) {
        result_.totals.resize(data.members.size());
        result_.arrivals.reserve(matched.arrivals.size());
        for (const RankCall& call : data.calls) ++result_.totals[call.member].calls;
    }

    void add(const MatchedCall& call) {
        for (const uint32_t index : matched_.members_of(call)) {
            const RankCall& own = data_.calls[index];
            const RankClock& clock = clocks_.of(own.member);
            result_.arrivals.push_back(
                {index,
                 own.member,
                 {clock.corrected(own.time.begin), clock.corrected(own.time.end)}});
        }
        const std::span arrivals = std::span(result_.arrivals).subspan(call.first, call.count);
        set_lateness(arrivals);
        CallWait wait = wait_of(arrivals);
        wait.last += call.first;
        for (RankArrival& one : arrivals) count(one, wait);
        result_.calls.push_back(wait);
    }

    RankWaits take() {
        for (std::size_t m = 0; m < waited_.size(); ++m)
            result_.totals[m].waited_error = waited_[m].error();
        for (const auto& [pair, sum] : blame_)
            result_.blame.push_back(
                {pair.first, pair.second, sum.calls, sum.wait, sum.errors.error()});
        return std::move(result_);
    }

  private:
    static void set_lateness(std::span<RankArrival> arrivals) {
        std::vector<Nanos> begins;
        for (const RankArrival& one : arrivals) begins.push_back(one.time.begin);
        std::ranges::sort(begins);
        // A single early rank must not make the others late, so the median is that of all ranks; of
        // two ranks, each is compared with the other one.
        const Nanos usual = median_of_sorted(begins);
        for (RankArrival& one : arrivals)
            one.lateness = arrivals.size() == 2
                               ? 2 * one.time.begin - begins.front() - begins.back()
                               : one.time.begin - usual;
    }

    CallWait wait_of(std::span<RankArrival> arrivals) const {
        CallWait wait;
        const auto begin = [](const RankArrival& one) { return one.time.begin; };
        const auto last = std::ranges::max_element(arrivals, {}, begin);
        const auto first = std::ranges::min_element(arrivals, {}, begin);
        wait.last = static_cast<uint32_t>(last - arrivals.begin());
        wait.first_begin = first->time.begin;
        wait.last_begin = last->time.begin;
        std::vector<Nanos> ends;
        for (const RankArrival& one : arrivals) ends.push_back(one.time.end);
        std::ranges::sort(ends);
        wait.end = median_of_sorted(ends);
        ErrorSum error;
        error.add(clocks_.of(first->member), clocks_.of(last->member));
        wait.error = error.error();
        for (RankArrival& one : arrivals) {
            const Nanos until = std::min(wait.last_begin, one.time.end);
            one.wait = std::max<Nanos>(0, until - one.time.begin);
            wait.wait += one.wait;
        }
        return wait;
    }

    void count(const RankArrival& one, const CallWait& wait) {
        RankTotals& totals = result_.totals[one.member];
        ++totals.matched;
        const uint32_t late = result_.arrivals[wait.last].member;
        if (late == one.member) {
            ++totals.last;
            totals.caused += wait.wait;
            return;
        }
        if (one.wait == 0) return;
        totals.waited += one.wait;
        waited_[one.member].add(clocks_.of(one.member), clocks_.of(late));
        BlameSum& blame = blame_[{late, one.member}];
        ++blame.calls;
        blame.wait += one.wait;
        blame.errors.add(clocks_.of(one.member), clocks_.of(late));
    }

    const RankData& data_;
    const MatchedRanks& matched_;
    const RankClocks& clocks_;
    RankWaits result_;
    std::vector<ErrorSum> waited_;  // by member
    std::map<std::pair<uint32_t, uint32_t>, BlameSum> blame_;
};

}  // namespace

RankWaits rank_waits(const RankData& data, const MatchedRanks& matched, const RankClocks& clocks) {
    WaitCounter counter(data, matched, clocks);
    for (const MatchedCall& call : matched.calls) counter.add(call);
    return counter.take();
}

}  // namespace lanescope
