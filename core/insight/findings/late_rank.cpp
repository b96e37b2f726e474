// Ranks arrive at their collectives at different times: the early ones wait for the last.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "core/analysis/ranks/compare_ranks.h"
#include "core/base/format.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/window_work.h"
#include "core/trace/clock.h"

namespace lanescope {

struct LateRankRule : RuleBase {
    static constexpr RuleText kText = {
        "late-rank", "Ranks wait for a late one",
        "collectives of several GPUs, in one file or in several files"};
    double min_share =
        ratio("min_share", 0.05,
              "time in which a rank waits in collectives for later ranks, as a share of the steps");

    using RuleBase::RuleBase;
    std::vector<Finding> find(const RuleInput& input) const;
};
template FindingRule rule_of<LateRankRule>();

namespace {

// How long a rank waits in a collective for the rank that came last.
struct RankWait {
    const RankArrival* own = nullptr;
    const RankArrival* last = nullptr;
    TimeRange time;
};

struct WaitsOfDevice {
    std::vector<TimeRange> times;
    uint64_t calls = 0;
    std::map<uint32_t, Nanos> by_late;  // by member that came last
    LargestPlaces places;
    RankWait longest;
};

// The comparison of the ranks, and the device of each member.
struct LateRanks {
    const RuleInput& input;
    const RankData& data = input.context.get<OwnRanks>().data;
    const RankComparison& result = input.context.get<OwnRankComparison>().result;
    std::vector<uint32_t> device_of = devices_of(input, data);  // by member; kNoRow: in no window

    static std::vector<uint32_t> devices_of(const RuleInput& rule, const RankData& ranks) {
        std::vector<uint32_t> places(ranks.members.size(), kNoRow);
        const std::vector<GpuDevice>& devices = rule.context.get<GpuDevices>().all;
        for (uint32_t m = 0; m < ranks.members.size(); ++m) {
            if (ranks.members[m].device == kNoRow) continue;
            const GpuDevice& own = devices[ranks.members[m].device];
            for (const DeviceWindow& device : rule.devices)
                if (device.work->process == own.process && device.work->device == own.device)
                    places[m] = device.place;
        }
        return places;
    }

    // By DeviceWindow::place. Leaves out sends and receives: their two ranks do different work, so
    // a wait is not caused by a late rank.
    std::vector<WaitsOfDevice> waits() const {
        std::vector<WaitsOfDevice> waits(input.devices.size());
        for (std::size_t i = 0; i < result.matched.calls.size(); ++i) {
            const MatchedCall& call = result.matched.calls[i];
            const CollectiveType kind = data.calls[call.row].kind;
            if (kind == CollectiveType::send_receive || kind == CollectiveType::unknown) continue;
            const RankArrival& last = result.waits.arrivals[result.waits.calls[i].last];
            for (const RankArrival& own : result.waits.members_of(call))
                if (own.wait > 0 && device_of[own.member] != kNoRow &&
                    device_of[last.member] != kNoRow)
                    add({&own, &last, time_of(own)}, waits[device_of[own.member]]);
        }
        return waits;
    }

    const RankCall& call_of(const RankArrival& arrival) const { return data.calls[arrival.call]; }

    const RankVerdict* verdict_on(uint32_t member) const {
        for (const RankVerdict& verdict : result.verdicts)
            if (verdict.members.size() == 1 && verdict.members.front() == member) return &verdict;
        return nullptr;
    }

    TimeRange time_of(const RankArrival& own) const {
        const Nanos begin = call_of(own).time.begin - unix_base(input.trace()).value_or(0);
        return {begin, begin + own.wait};
    }

    void add(const RankWait& wait, WaitsOfDevice& waits) const {
        if (!input.devices[device_of[wait.own->member]].contains(wait.time.begin)) return;
        waits.times.push_back(wait.time);
        waits.by_late[wait.last->member] += wait.time.length();
        waits.places.add(call_of(*wait.own).slice, wait.time);
        if (!waits.longest.own || wait.time.length() > waits.longest.time.length())
            waits.longest = wait;
        ++waits.calls;
    }
};

std::string rank_label(const RuleInput& input, uint32_t device) {
    const SummaryDevice& own = *input.devices[device].summary;
    if (const auto& parts = input.trace().parts; parts.size() > 1)
        return fmt::format("GPU {} of {}", own.device,
                           parts[input.trace().processes[own.process].part].name);
    const auto same = std::ranges::count_if(input.devices, [&](const DeviceWindow& other) {
        return other.summary->device == own.device;
    });
    if (same == 1) return fmt::format("GPU {}", own.device);
    const Trace& trace = input.trace();
    return fmt::format("GPU {} of {}", own.device, trace.strings[trace.processes[own.process].pid]);
}

std::string matched_by(const RuleInput& input, const LateRanks& ranks, uint32_t member) {
    const bool has_groups = !input.trace().collectives.group_name.empty();
    if (input.trace().parts.size() < 2)
        return has_groups ? "collectives are matched by type, group and order: the clocks of the "
                            "ranks must agree"
                          : "collectives are matched by type and order, since their groups are not "
                            "recorded";
    const RankClock& clock = ranks.result.clocks.of(member);
    return fmt::format(
        "collectives are matched by {}; the clocks are corrected by the ends of {}, to ± {}",
        has_groups ? "group and number" : "type, step and order",
        format_count(clock.ends, "collective", "collectives"), format_duration(clock.residual));
}

// The late rank's arrival at the collective in which the other rank waits longest.
FindingPlace place_of_late(const RuleInput& input, const LateRanks& ranks, const RankWait& wait) {
    return place_of(input.trace(), ranks.call_of(*wait.last).slice);
}

}  // namespace

std::vector<Finding> LateRankRule::find(const RuleInput& input) const {
    if (input.devices.size() < 2) return {};
    std::vector<Finding> findings;
    const LateRanks ranks{input};
    std::vector<WaitsOfDevice> waits = ranks.waits();
    for (const DeviceWindow& device : input.devices) {
        WaitsOfDevice& waited = waits[device.place];
        const Intervals times = intersect(merged(std::move(waited.times)), device.times);
        auto finding = finding_for(device, min_share, subtract(times, device.computing));
        if (!finding) continue;
        const auto label = [&](uint32_t member) {
            return rank_label(input, ranks.device_of[member]);
        };
        const uint32_t late = std::ranges::max_element(waited.by_late, {}, [](const auto& one) {
                                  return one.second;
                              })->first;
        const bool has_groups = !input.trace().collectives.group_name.empty();
        finding->confidence = has_groups ? Confidence::likely : Confidence::possible;
        finding->title =
            fmt::format("In {} this GPU waits {} for GPUs that arrive later, mostly for {}",
                        format_count(waited.calls, "collective", "collectives"),
                        format_duration(static_cast<double>(*finding->cost)), label(late));
        for (const auto& [member, time] : waited.by_late)
            finding->evidence.push_back(
                duration_of(fmt::format("until {} arrives last", label(member)), time,
                            "collectives.duration_ns"));
        std::ranges::stable_sort(finding->evidence, std::greater(), &FindingEvidence::value);
        if (const RankVerdict* const verdict = ranks.verdict_on(late))
            finding->evidence.push_back(remark(fmt::format("{} is late because {}", label(late),
                                                           verdict_reason(ranks.data, *verdict))));
        finding->evidence.push_back(remark(matched_by(
            input, ranks, waited.longest.own->member == 0 ? late : waited.longest.own->member)));
        finding->advice =
            "Look at what the late rank does before it arrives: more work, a slower host, or its "
            "data loader. Give all ranks the same amount of work and the same processors.";
        finding->places = std::move(waited.places).take(input.trace());
        finding->places.push_back(place_of_late(input, ranks, waited.longest));
        findings.push_back(std::move(*finding));
    }
    return findings;
}

}  // namespace lanescope
