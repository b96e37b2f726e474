// Slow links: the transfer itself takes longer, after all ranks have arrived. A slow link slows all
// groups of its rank, so that rank is in all slow groups and in none of the others.
#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "core/analysis/ranks/rank_verdicts.h"

namespace lanescope {

namespace {

constexpr std::size_t kLeastGroups = 3;  // of one kind and size, to compare groups with each other
constexpr std::size_t kLeastCalls = 3;   // of a group, and on each side of a change
constexpr double kMostExceptions = 0.2;  // share of the calls on the shorter side of a change
constexpr double kLeastTransferNoise = 50e3;  // ns; smaller differences are ignored

// Kind, bytes and number of ranks.
using TransferKey = std::tuple<CollectiveType, int64_t, int64_t>;

struct TransferSeries {
    std::vector<uint32_t> calls;  // sorted by time
    std::vector<double> times;
    std::set<uint32_t> members;
    double median = 0;
};
// By MatchedCall::call_class.
using TransfersOfKey = std::map<uint32_t, TransferSeries>;

// What the slow groups have in common. Times in ns.
struct SlowLink {
    std::vector<std::set<uint32_t>> slow;  // members of slow groups
    std::set<uint32_t> healthy;            // members of groups with usual transfer times
    RankVerdict verdict;
    double largest = 0;
    double usual = 0;  // expected time of the slow calls
    double taken = 0;  // actual time of the slow calls
    std::map<StringId, double> cost_of_group;
};

class LinkFinder {
  public:
    LinkFinder(const RankData& data, const MatchedRanks& matched, const RankWaits& waits,
               const RankLimits& limits)
        : data_(data), matched_(matched), waits_(waits), limits_(limits) {
        for (uint32_t i = 0; i < matched.calls.size(); ++i) {
            const RankCall& row = data.calls[matched.calls[i].row];
            if (row.bytes == kNoValue || row.kind == CollectiveType::unknown) continue;
            TransferSeries& series = transfers_[{
                row.kind, row.bytes, std::max<int64_t>(row.group_size, matched.calls[i].count)}]
                                               [matched.calls[i].call_class];
            series.calls.push_back(i);
            for (const RankArrival& one : waits.members_of(matched.calls[i]))
                series.members.insert(one.member);
        }
    }

    std::vector<RankVerdict> find() {
        for (auto& [key, groups] : transfers_) {
            for (auto& [call_class, series] : groups) read(series);
            if (groups.size() >= kLeastGroups)
                compare_groups(groups);
            else
                for (const auto& [call_class, series] : groups) find_change(series);
        }
        return verdicts();
    }

  private:
    void read(TransferSeries& series) const {
        std::ranges::stable_sort(series.calls, {},
                                 [&](uint32_t call) { return waits_.calls[call].end; });
        for (const uint32_t call : series.calls)
            series.times.push_back(static_cast<double>(waits_.calls[call].transfer()));
        std::vector<double> times = series.times;
        series.median = median_of(times);
    }

    bool is_slow(double time, double usual) const {
        return time > limits_.slow_link_factor * usual && time > usual + kLeastTransferNoise;
    }

    // A group is slow if its transfers take longer than those of most groups, or become slower.
    void compare_groups(const TransfersOfKey& groups) {
        std::vector<double> medians;
        for (const auto& [call_class, series] : groups) medians.push_back(series.median);
        const double usual = median_of(medians);
        for (const auto& [call_class, series] : groups) {
            if (series.calls.size() >= kLeastCalls && is_slow(series.median, usual))
                add_slow(series, first_slow(series, usual), usual);
            else if (!find_change(series))
                link_.healthy.insert(series.members.begin(), series.members.end());
        }
    }

    // The first call from which most calls are slow.
    std::size_t first_slow(const TransferSeries& series, double usual) const {
        return change_of(series.times, usual).first;
    }

    // The index from which most times are slow and before which most are not, and the number of
    // exceptions.
    std::pair<std::size_t, std::size_t> change_of(const std::vector<double>& times,
                                                  double usual) const {
        std::size_t exceptions = 0;
        for (const double time : times) exceptions += is_slow(time, usual) ? 0 : 1;
        std::pair<std::size_t, std::size_t> best{0, exceptions};
        for (std::size_t i = 0; i < times.size(); ++i) {
            if (is_slow(times[i], usual))
                ++exceptions;
            else
                --exceptions;
            if (exceptions < best.second) best = {i + 1, exceptions};
        }
        return best;
    }

    // Looks for a lasting change in the times of one group.
    bool find_change(const TransferSeries& series) {
        const std::size_t count = series.times.size();
        for (std::size_t first = kLeastCalls; first + kLeastCalls <= count; ++first) {
            std::vector<double> before(series.times.begin(),
                                       series.times.begin() + static_cast<std::ptrdiff_t>(first));
            const double usual = median_of(before);
            if (!is_slow(series.times[first], usual)) continue;
            const auto [place, exceptions] = change_of(series.times, usual);
            if (place != first) continue;
            const auto most = static_cast<double>(std::min(first, count - first));
            if (static_cast<double>(exceptions) > kMostExceptions * most) continue;
            add_slow(series, first, usual);
            return true;
        }
        return false;
    }

    void add_slow(const TransferSeries& series, std::size_t first, double usual) {
        link_.slow.push_back(series.members);
        for (std::size_t i = first; i < series.calls.size(); ++i) {
            if (!is_slow(series.times[i], usual)) continue;
            const MatchedCall& call = matched_.calls[series.calls[i]];
            const double longer = series.times[i] - usual;
            RankVerdict& verdict = link_.verdict;
            verdict.cost += longer;
            ++verdict.calls;
            link_.usual += usual;
            link_.taken += series.times[i];
            link_.cost_of_group[data_.calls[call.row].group] += longer;
            if (longer > link_.largest) verdict.place = series.calls[i];
            link_.largest = std::max(link_.largest, longer);
            verdict.error = combined_error(verdict.error, waits_.calls[series.calls[i]].error);
            note_step(data_.calls[call.row].step);
        }
    }

    void note_step(int64_t step) {
        if (step == kNoValue) return;
        RankVerdict& verdict = link_.verdict;
        verdict.first_step =
            verdict.first_step == kNoValue ? step : std::min(verdict.first_step, step);
        verdict.last_step = std::max(verdict.last_step, step);
    }

    // The members that all slow groups share, without those of healthy groups unless none would
    // remain.
    std::vector<uint32_t> candidates() const {
        std::set<uint32_t> common = link_.slow.front();
        for (const std::set<uint32_t>& members : link_.slow) {
            std::set<uint32_t> both;
            std::ranges::set_intersection(common, members, std::inserter(both, both.end()));
            if (!both.empty()) common = std::move(both);
        }
        std::vector<uint32_t> left;
        std::ranges::set_difference(common, link_.healthy, std::back_inserter(left));
        return left.empty() ? std::vector<uint32_t>(common.begin(), common.end()) : left;
    }

    std::vector<RankVerdict> verdicts() {
        if (link_.slow.empty() || waits_.calls.empty()) return {};
        TimeRange span = waits_.arrivals.front().time;
        for (const RankArrival& one : waits_.arrivals) {
            span.begin = std::min(span.begin, one.time.begin);
            span.end = std::max(span.end, one.time.end);
        }
        RankVerdict& verdict = link_.verdict;
        if (verdict.calls < kLeastCalls ||
            verdict.cost < limits_.min_cost_share * static_cast<double>(span.length()))
            return {};
        verdict.fault = RankFault::slow_link;
        verdict.members = candidates();
        verdict.factor = link_.usual > 0 ? link_.taken / link_.usual : 0;
        verdict.share = 1;
        verdict.name = std::ranges::max_element(link_.cost_of_group, {}, [](const auto& one) {
                           return one.second;
                       })->first;
        return {verdict};
    }

    const RankData& data_;
    const MatchedRanks& matched_;
    const RankWaits& waits_;
    const RankLimits& limits_;
    std::map<TransferKey, TransfersOfKey> transfers_;
    SlowLink link_;
};

}  // namespace

std::vector<RankVerdict> slow_links(const RankData& data, const MatchedRanks& matched,
                                    const RankWaits& waits, const RankLimits& limits) {
    return LinkFinder(data, matched, waits, limits).find();
}

}  // namespace lanescope
