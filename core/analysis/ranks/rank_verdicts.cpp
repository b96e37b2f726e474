#include "core/analysis/ranks/rank_verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "core/base/format.h"

namespace lanescope {

namespace {

// The late arrivals of one member that have the same fault.
struct FaultSum {
    double cost = 0;
    double largest = 0;
    RankVerdict verdict;
    std::map<StringId, double> by_name;
};
using FaultSums = std::map<RankFault, FaultSum>;

// Statistics of the kernels that a rank ran before its late arrivals.
struct SlowKernels {
    double factor = 0;      // duration of all kernels / expected duration
    double slow_share = 0;  // share of the time in slow kernels
};
SlowKernels slow_kernels_of(const KernelPaces& paces, double least_factor) {
    double time = 0;
    double expected = 0;
    double slow = 0;
    for (const auto& [name, pace] : paces) {
        time += pace.time;
        expected += pace.expected;
        if (pace.time > least_factor * pace.expected) slow += pace.time;
    }
    if (time <= 0 || expected <= 0) return {};
    return {time / expected, slow / time};
}

// Duration / expected duration of the kernels with one name; 0: other ranks do not run them.
double factor_of(const KernelPaces& paces, StringId name) {
    KernelPace all;
    for (const auto& [key, pace] : paces) {
        if (key.first != name) continue;
        all.time += pace.time;
        all.expected += pace.expected;
    }
    return all.expected > 0 ? all.time / all.expected : 0;
}

class VerdictMaker {
  public:
    VerdictMaker(const RankData& data, const MatchedRanks& matched, const RankWaits& waits,
                 const LateCauses& causes, const RankLimits& limits)
        : data_(data),
          matched_(matched),
          waits_(waits),
          causes_(causes),
          limits_(limits),
          sums_(data.members.size()),
          excess_(data.members.size()),
          costs_(data.members.size()),
          spans_(data.members.size()) {
        for (std::size_t m = 0; m < data.members.size(); ++m)
            kernels_.push_back(slow_kernels_of(causes.kernels[m], limits.slow_gpu_factor));
        std::vector<bool> seen(data.members.size());
        for (const RankArrival& one : waits.arrivals) {
            TimeRange& span = spans_[one.member];
            if (!seen[one.member]) span = one.time;
            seen[one.member] = true;
            span.begin = std::min(span.begin, one.time.begin);
            span.end = std::max(span.end, one.time.end);
        }
    }

    std::vector<RankVerdict> make() {
        for (std::size_t begin = 0; begin < causes_.parts.size();) {
            std::size_t end = begin;
            while (end < causes_.parts.size() &&
                   causes_.parts[end].arrival == causes_.parts[begin].arrival)
                ++end;
            add(std::span(causes_.parts).subspan(begin, end - begin));
            begin = end;
        }
        std::vector<RankVerdict> verdicts;
        for (uint32_t m = 0; m < sums_.size(); ++m) judge(m, verdicts);
        return verdicts;
    }

  private:
    RankFault fault_of(LateCause cause, uint32_t member) const {
        switch (cause) {
            case LateCause::slow_kernels:
                return kernels_[member].slow_share >= limits_.slow_gpu_share ? RankFault::slow_gpu
                                                                             : RankFault::more_work;
            case LateCause::more_kernels:
                return RankFault::more_work;
            case LateCause::copies:
                return RankFault::copies;
            case LateCause::data_loader:
                return RankFault::data_loader;
            case LateCause::host:
                return RankFault::slow_host;
            case LateCause::held_up:
                return RankFault::held_up;
            case LateCause::unexplained:
                break;
        }
        return RankFault::unexplained;
    }

    // Adds the causes of one late arrival.
    void add(std::span<const CausePart> parts) {
        const RankArrival& arrival = waits_.arrivals[parts.front().arrival];
        const MatchedCall& call = matched_.calls[parts.front().matched];
        const CallWait& wait = waits_.calls[parts.front().matched];
        std::map<RankFault, double> costs;
        double all = 0;
        for (const CausePart& part : parts) {
            const RankFault fault = fault_of(part.cause, arrival.member);
            costs[fault] += part.cost;
            all += part.cost;
            excess_[arrival.member][static_cast<std::size_t>(part.cause)] += part.excess;
            costs_[arrival.member][static_cast<std::size_t>(part.cause)] += part.cost;
            sums_[arrival.member][fault].by_name[part.name] += part.cost;
        }
        for (const auto& [fault, cost] : costs) {
            FaultSum& sum = sums_[arrival.member][fault];
            if (cost <= 0 || cost < limits_.cause_share * all) continue;
            if (cost > sum.largest) sum.verdict.place = parts.front().matched;
            sum.largest = std::max(sum.largest, cost);
            RankVerdict& verdict = sum.verdict;
            const int64_t step = data_.calls[arrival.call].step;
            if (step != kNoValue) {
                verdict.first_step = verdict.calls == 0 || verdict.first_step == kNoValue
                                         ? step
                                         : std::min(verdict.first_step, step);
                verdict.last_step = std::max(verdict.last_step, step);
            }
            ++verdict.calls;
            const auto noise = causes_.noise.find(call.call_class);
            if (noise != causes_.noise.end())
                verdict.error = combined_error(verdict.error, noise->second);
            if (waits_.arrivals[wait.last].member == arrival.member) verdict.waited += wait.wait;
        }
    }

    // A kernel that runs while a collective starts can fall into one interval on some ranks and
    // into the next on others, so the number of kernels seems to rise and then fall. Sums of signed
    // differences cancel this effect, and divide the cost between slower and additional kernels.
    // Returns the cost of all faults, in ns.
    double add_costs(uint32_t member) {
        constexpr auto slow = static_cast<std::size_t>(LateCause::slow_kernels);
        constexpr auto more = static_cast<std::size_t>(LateCause::more_kernels);
        std::array<double, kLateCauses>& costs = costs_[member];
        const double slower = std::max(excess_[member][slow], 0.0);
        const double added = std::max(excess_[member][more], 0.0);
        if (const double both = slower + added; both > 0) {
            const double kernels = costs[slow] + costs[more];
            costs[slow] = kernels * slower / both;
            costs[more] = kernels * added / both;
        }
        double all = 0;
        for (std::size_t c = 0; c < kLateCauses; ++c) {
            all += costs[c];
            sums_[member][fault_of(static_cast<LateCause>(c), member)].cost += costs[c];
        }
        return all;
    }

    void judge(uint32_t member, std::vector<RankVerdict>& verdicts) {
        const double all = add_costs(member);
        const double least = limits_.min_cost_share * static_cast<double>(spans_[member].length());
        for (auto& [fault, sum] : sums_[member]) {
            if (sum.verdict.calls == 0 || sum.cost < least) continue;
            if (sum.cost < limits_.cause_share * all) continue;
            RankVerdict& verdict = sum.verdict;
            verdict.fault = fault;
            verdict.members = {member};
            verdict.cost = sum.cost;
            verdict.share = sum.cost / all;
            const auto largest = std::ranges::max_element(
                sum.by_name, {}, [](const auto& one) { return one.second; });
            verdict.name = largest->first;
            if (fault == RankFault::slow_gpu) verdict.factor = kernels_[member].factor;
            if (fault == RankFault::more_work)
                verdict.factor = factor_of(causes_.kernels[member], verdict.name);
            verdicts.push_back(verdict);
        }
    }

    const RankData& data_;
    const MatchedRanks& matched_;
    const RankWaits& waits_;
    const LateCauses& causes_;
    const RankLimits& limits_;
    std::vector<FaultSums> sums_;                          // by member
    std::vector<std::array<double, kLateCauses>> excess_;  // by member
    std::vector<std::array<double, kLateCauses>> costs_;   // by member
    std::vector<TimeRange> spans_;                         // by member: the compared time
    std::vector<SlowKernels> kernels_;                     // by member
};

// `cause`: the name of a GapCause.
std::string idle_reason(std::string_view cause) {
    if (cause == "host" || cause == "launch latency") return ", since its host launches late";
    if (cause == "synchronisation") return ", since its host waits for the GPU before it launches";
    if (cause == "copy") return ", since its host works on copies";
    if (cause == "dependency") return ", since its streams wait for each other";
    if (cause == "profiler overhead") return ", since the profiler works";
    return "; the recording does not say why";
}

std::string names_of(const RankData& data, const RankVerdict& verdict) {
    constexpr std::size_t most = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, verdict.members.size()); ++i)
        text += (i ? ", " : "") + member_name(data.members[verdict.members[i]]);
    if (verdict.members.size() > most)
        text += fmt::format(" and {} more", verdict.members.size() - most);
    return text;
}

}  // namespace

std::string_view rank_fault_name(RankFault fault) {
    constexpr std::array<std::string_view, 8> names = {"slow-gpu",  "data-loader", "slow-host",
                                                       "slow-link", "more-work",   "copies",
                                                       "held-up",   "unexplained"};
    return names[static_cast<std::size_t>(fault)];
}

bool is_accusation(const RankVerdict& verdict) {
    return verdict.fault == RankFault::slow_link ||
           (verdict.fault != RankFault::held_up && verdict.waited > 0);
}

std::string verdict_headline(const RankData& data, const RankVerdict& verdict) {
    constexpr std::array<std::string_view, 8> words = {
        "its GPU is slow",        "it waits for its data loader",
        "its host launches late", "its link is slow",
        "it has more work",       "it copies more",
        "other groups delay it",  "the recording does not say why"};
    std::string steps;
    if (verdict.first_step != kNoValue)
        steps = verdict.first_step == verdict.last_step
                    ? fmt::format(" in step {}", verdict.first_step)
                    : fmt::format(" from step {} to {}", verdict.first_step, verdict.last_step);
    std::string who = names_of(data, verdict);
    if (who.starts_with("rank ")) who.front() = 'R';
    return fmt::format("{} {} the others up{}: {}", who,
                       verdict.members.size() == 1 ? "holds" : "hold", steps,
                       words[static_cast<std::size_t>(verdict.fault)]);
}

std::string verdict_reason(const RankData& data, const RankVerdict& verdict) {
    const std::string_view name = data.texts[verdict.name];
    switch (verdict.fault) {
        case RankFault::slow_gpu:
            return fmt::format("its kernels take {:.2f} times as long as those of the median rank",
                               verdict.factor);
        case RankFault::data_loader:
            return "its GPU waits for the data loader";
        case RankFault::slow_host:
            return "its GPU idles longer" + idle_reason(name);
        case RankFault::slow_link:
            return fmt::format("transfers of group {} take {:.2f} times as long as usual ones",
                               name.empty() ? "(not recorded)" : name, verdict.factor);
        case RankFault::more_work:
            return verdict.factor > 0
                       ? fmt::format("it has more work: {} takes {:.2f} times as long", name,
                                     verdict.factor)
                       : fmt::format("it has more work: {}", name);
        case RankFault::copies:
            return fmt::format("it copies longer: {}", name);
        case RankFault::held_up:
            return "collectives of its other groups hold it up";
        case RankFault::unexplained:
            break;
    }
    return "its recorded work does not say why";
}

std::string verdict_text(const RankData& data, const RankVerdict& verdict) {
    std::string steps;
    if (verdict.first_step != kNoValue)
        steps = verdict.first_step == verdict.last_step
                    ? fmt::format(" in step {}", verdict.first_step)
                    : fmt::format(" in steps {} to {}", verdict.first_step, verdict.last_step);
    const std::string calls =
        format_count(static_cast<uint64_t>(verdict.calls), "collective", "collectives");
    if (verdict.fault == RankFault::slow_link)
        return fmt::format("The link of {} is slow in {}{}: {}, {} in all", names_of(data, verdict),
                           calls, steps, verdict_reason(data, verdict),
                           format_duration(verdict.cost));
    return fmt::format("{} comes late to {}{}, by {} in all: {}", names_of(data, verdict), calls,
                       steps, format_duration(verdict.cost), verdict_reason(data, verdict));
}

std::vector<RankVerdict> rank_verdicts(const RankData& data, const MatchedRanks& matched,
                                       const RankWaits& waits, const LateCauses& causes,
                                       const RankLimits& limits) {
    std::vector<RankVerdict> verdicts = VerdictMaker(data, matched, waits, causes, limits).make();
    for (RankVerdict& link : slow_links(data, matched, waits, limits))
        verdicts.push_back(std::move(link));
    std::ranges::stable_sort(verdicts, std::greater(), &RankVerdict::cost);
    return verdicts;
}

}  // namespace lanescope
