#include "core/analysis/ranks/late_causes.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <tuple>

#include "core/analysis/ranks/late_arrivals.h"

namespace lanescope {

namespace {

constexpr std::size_t kMostOthers = 64;   // ranks sampled for the median of all others
constexpr double kLeastExplained = 0.05;  // of the lateness, or the rest is unexplained
constexpr std::size_t kLeastRanksOfZ = 3;

struct WorkSum {
    double count = 0;
    double time = 0;
    double mean() const { return count > 0 ? time / count : 0; }
};
struct NamedWork {
    RankWorkKind what = RankWorkKind::kernel;
    StringId name = 0;
    StringId grid = 0;
    friend auto operator<=>(const NamedWork&, const NamedWork&) = default;
};
// One kind of work: of the late rank, and of each other rank.
struct ComparedWork {
    WorkSum own;
    std::vector<WorkSum> others;  // only ranks that did such work
};

// How a kind of work differs from the median rank: ns, and ratios.
struct Difference {
    double slower = 0;  // the same work took longer
    double more = 0;    // more work
    double median_count = 0;
    double ratio = 0;
    double z = 0;
};

Difference difference_of(const ComparedWork& work, std::size_t other_ranks) {
    std::vector<double> counts(other_ranks - work.others.size(), 0.0);
    std::vector<double> times = counts;
    std::vector<double> means;
    for (const WorkSum& other : work.others) {
        counts.push_back(other.count);
        times.push_back(other.time);
        if (other.count > 0) means.push_back(other.mean());
    }
    // The median of two other ranks would be their mean, so that one fast rank makes both of the
    // others slow: of three ranks, the median is that of all.
    if (other_ranks == 2) {
        counts.push_back(work.own.count);
        times.push_back(work.own.time);
        if (work.own.count > 0 && !means.empty()) means.push_back(work.own.mean());
    }
    Difference difference;
    difference.median_count = median_of(counts);
    const double median_time = median_of(times);
    const double deviation = robust_deviation(means);
    const std::size_t ranks = means.size();
    const double mean = median_of(means);
    if (mean <= 0 || difference.median_count <= 0 || work.own.count <= 0) {
        difference.more = work.own.time - median_time;
        return difference;
    }
    difference.slower = work.own.time - work.own.count * mean;
    difference.more = work.own.count * mean - median_time;
    difference.ratio = work.own.mean() / mean;
    if (ranks >= kLeastRanksOfZ && deviation > 0)
        difference.z = (work.own.mean() - mean) / deviation;
    return difference;
}

// A late arrival, with its matched call and the previous call of the same class.
struct LateCall {
    uint32_t call = 0;
    uint32_t previous = 0;
    uint32_t arrival = 0;
};

class Explainer {
  public:
    Explainer(const RankData& data, const MatchedRanks& matched, const RankWaits& waits)
        : data_(data), matched_(matched), waits_(waits) {
        causes_.kernels.resize(data.members.size());
        explained_.resize(data.members.size());
        arrival_of_.resize(data.calls.size(), kNoRow);
        for (uint32_t a = 0; a < waits.arrivals.size(); ++a)
            arrival_of_[waits.arrivals[a].call] = a;
    }

    void explain(std::vector<LateCall> late) {
        std::ranges::stable_sort(
            late, {}, [&](const LateCall& one) { return waits_.arrivals[one.arrival].time.begin; });
        for (const LateCall& one : late) explain_one(one);
    }
    void set_noise(uint32_t call_class, double noise) { causes_.noise[call_class] = noise; }

    LateCauses take() {
        std::ranges::stable_sort(causes_.parts, {}, [](const CausePart& part) {
            return std::tuple(part.matched, part.arrival, part.cause);
        });
        return std::move(causes_);
    }

  private:
    // Returns an index in RankData::calls.
    std::optional<uint32_t> call_of(uint32_t matched, uint32_t member) const {
        const auto members = waits_.members_of(matched_.calls[matched]);
        const auto found = std::ranges::lower_bound(members, member, {}, &RankArrival::member);
        if (found == members.end() || found->member != member) return std::nullopt;
        return found->call;
    }

    // The member's work from the start of call `after` to the start of call `until`.
    std::span<const RankWork> work_between(uint32_t member, uint32_t after, uint32_t until) const {
        const auto place = [](const RankWork& work) { return std::pair(work.member, work.call); };
        const auto begin =
            std::ranges::lower_bound(data_.work, std::pair(member, after + 1), {}, place);
        const auto end =
            std::ranges::upper_bound(begin, data_.work.end(), std::pair(member, until), {}, place);
        return {begin, end};
    }

    static std::map<NamedWork, WorkSum> sums_of(std::span<const RankWork> rows) {
        std::map<NamedWork, WorkSum> sums;
        for (const RankWork& row : rows) {
            if (row.what == RankWorkKind::collective) continue;
            WorkSum& sum = sums[{row.what, row.name, row.grid}];
            sum.count += static_cast<double>(row.count);
            sum.time += static_cast<double>(row.time);
        }
        return sums;
    }

    // Work is compared between these two calls of a member: indices in RankData::calls.
    struct Interval {
        uint32_t after = 0;
        uint32_t until = 0;
        uint32_t calls() const { return until - after; }
    };
    std::optional<Interval> interval_of(uint32_t call, uint32_t previous, uint32_t member) const {
        const auto until = call_of(call, member);
        const auto after = call_of(previous, member);
        if (!until || !after || *after >= *until) return std::nullopt;
        return Interval{*after, *until};
    }

    // Empty: the member's work is unknown.
    std::map<NamedWork, WorkSum> work_of(uint32_t member, const Interval& interval) const {
        const auto rows = work_between(member, data_.calls[interval.after].call,
                                       data_.calls[interval.until].call);
        if (rows.empty()) return {};
        std::map<NamedWork, WorkSum> sums = sums_of(rows);
        // Leaves out the first call: during that call, the others waited for a late rank.
        WorkSum others;
        for (uint32_t c = interval.after + 1; c < interval.until; ++c) {
            ++others.count;
            others.time += static_cast<double>(data_.calls[c].time.length());
        }
        if (others.count > 0) sums[{RankWorkKind::collective, 0, 0}] = others;
        return sums;
    }

    // Each piece of work explains only one late arrival: a rank can stay late at the following
    // calls while its other streams continue.
    void explain_one(const LateCall& one) {
        const RankArrival& late = waits_.arrivals[one.arrival];
        auto own = interval_of(one.call, one.previous, late.member);
        if (!own) return;
        const double carried = carried_lateness(*own);
        own->after = std::max(own->after, explained_[late.member]);
        explained_[late.member] = own->until;
        if (own->calls() == 0) return;
        std::map<NamedWork, ComparedWork> all;
        for (const auto& [name, sum] : work_of(late.member, *own)) all[name].own = sum;
        if (all.empty()) return;
        const auto members = waits_.members_of(matched_.calls[one.call]);
        const std::size_t stride = (members.size() + kMostOthers - 1) / kMostOthers;
        std::size_t others = 0;
        for (std::size_t i = 0; i < members.size(); i += stride) {
            if (members[i].member == late.member) continue;
            auto other = interval_of(one.call, one.previous, members[i].member);
            if (!other || other->calls() < own->calls()) continue;
            other->after = other->until - own->calls();
            const auto work = work_of(members[i].member, *other);
            if (work.empty()) continue;
            ++others;
            for (const auto& [name, sum] : work) all[name].others.push_back(sum);
        }
        if (others > 0) add_parts(one, carried, all, others);
    }

    // The rank's largest lateness in the calls of the interval.
    double carried_lateness(const Interval& interval) const {
        Nanos most = 0;
        for (uint32_t c = interval.after; c < interval.until; ++c)
            if (arrival_of_[c] != kNoRow)
                most = std::max(most, waits_.arrivals[arrival_of_[c]].lateness);
        return static_cast<double>(most);
    }

    static LateCause cause_of_other(const RankData& data, const NamedWork& work) {
        switch (work.what) {
            case RankWorkKind::copy:
            case RankWorkKind::set:
                return LateCause::copies;
            case RankWorkKind::collective:
                return LateCause::held_up;
            case RankWorkKind::gap:
                return data.texts[work.name] == kDataLoaderGap ? LateCause::data_loader
                                                               : LateCause::host;
            case RankWorkKind::kernel:
                break;
        }
        return LateCause::more_kernels;
    }

    void add_parts(const LateCall& one, double carried,
                   const std::map<NamedWork, ComparedWork>& all, std::size_t others) {
        std::array<CausePart, kLateCauses> parts;
        std::array<double, kLateCauses> largest = {};
        const RankArrival& late = waits_.arrivals[one.arrival];
        const auto add = [&](LateCause cause, double excess, const NamedWork& name,
                             const ComparedWork& work, const Difference& difference) {
            const auto c = static_cast<std::size_t>(cause);
            parts[c].excess += excess;
            if (excess <= largest[c]) return;
            largest[c] = excess;
            parts[c].name = name.name;
            parts[c].count = work.own.count;
            parts[c].median_count = difference.median_count;
            parts[c].ratio = difference.ratio;
            parts[c].z = difference.z;
        };
        for (const auto& [name, work] : all) {
            const Difference difference = difference_of(work, others);
            if (name.what != RankWorkKind::kernel) {
                add(cause_of_other(data_, name), difference.slower + difference.more, name, work,
                    difference);
                continue;
            }
            add(LateCause::slow_kernels, difference.slower, name, work, difference);
            add(LateCause::more_kernels, difference.more, name, work, difference);
            if (difference.ratio <= 0) continue;
            KernelPace& pace = causes_.kernels[late.member][{name.name, name.grid}];
            pace.time += work.own.time;
            pace.expected += work.own.time / difference.ratio;
        }
        keep(one, carried, parts);
    }

    // Doing less of one kind of work compensates for doing more of another.
    void keep(const LateCall& one, double carried, std::array<CausePart, kLateCauses>& parts) {
        double sum = 0;
        double positive = 0;
        for (const CausePart& part : parts) {
            sum += part.excess;
            positive += std::max(part.excess, 0.0);
        }
        const double lateness =
            static_cast<double>(waits_.arrivals[one.arrival].lateness) - carried;
        if (sum < kLeastExplained * lateness) {
            CausePart& rest = parts[static_cast<std::size_t>(LateCause::unexplained)];
            rest.excess = lateness - std::max(sum, 0.0);
            positive += rest.excess;
            sum = lateness;
        }
        const double share = positive > 0 ? std::clamp(sum / positive, 0.0, 1.0) : 0;
        for (std::size_t c = 0; c < kLateCauses; ++c) {
            if (parts[c].excess == 0) continue;
            parts[c].matched = one.call;
            parts[c].arrival = one.arrival;
            parts[c].cause = static_cast<LateCause>(c);
            parts[c].cost = std::max(parts[c].excess, 0.0) * share;
            causes_.parts.push_back(parts[c]);
        }
    }

    const RankData& data_;
    const MatchedRanks& matched_;
    const RankWaits& waits_;
    LateCauses causes_;
    // By member: work before this index in RankData::calls is already explained.
    std::vector<uint32_t> explained_;
    std::vector<uint32_t> arrival_of_;  // by index in RankData::calls; kNoRow: not matched
};

}  // namespace

std::string_view late_cause_name(LateCause cause) {
    constexpr std::array<std::string_view, kLateCauses> names = {
        "slow kernels", "more kernels", "copies", "data loader", "host", "held up", "unexplained"};
    return names[static_cast<std::size_t>(cause)];
}

LateCauses late_causes(const RankData& data, const MatchedRanks& matched, const RankWaits& waits,
                       const RankLimits& limits) {
    Explainer explainer(data, matched, waits);
    std::vector<LateCall> all;
    std::map<uint32_t, std::vector<uint32_t>> classes;
    for (uint32_t i = 0; i < matched.calls.size(); ++i)
        if (data.calls[matched.calls[i].row].kind != CollectiveType::send_receive)
            classes[matched.calls[i].call_class].push_back(i);
    for (auto& [call_class, calls] : classes) {
        std::ranges::stable_sort(calls, {}, [&](uint32_t call) { return waits.calls[call].end; });
        const LateOfClass late = late_in_class(calls, matched, waits, limits);
        explainer.set_noise(call_class, late.noise);
        if (data.work.empty()) continue;
        for (std::size_t i = 1; i < calls.size(); ++i)
            for (const uint32_t arrival : late.by_call[i])
                all.push_back({calls[i], calls[i - 1], arrival});
    }
    explainer.explain(std::move(all));
    return explainer.take();
}

}  // namespace lanescope
