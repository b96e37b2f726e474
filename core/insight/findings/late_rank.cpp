// Ranks arrive at their collectives at different times: the early ones wait for the last.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "core/analysis/collectives/collectives.h"
#include "core/analysis/structure/steps.h"
#include "core/base/format.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/window_work.h"

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

// One rank's part in a collective.
struct Arrival {
    uint32_t device = 0;  // index in RuleInput::devices
    SliceRef slice;
    TimeRange time;
};
using CollectiveCall = std::vector<Arrival>;

// Collectives that may be the same call: one type and group; in several files also one step.
using CallKey = std::tuple<CollectiveType, StringId, StringId, StringId>;

// The name of the step in which a collective was launched; none: it is in no step.
StringId step_of(const RuleInput& input, const CollectiveRow& row) {
    const Trace& trace = input.trace();
    if (!row.launch) return StringPool::none;
    const Nanos time = trace.start(row.launch);
    const uint32_t process = trace.lanes[row.launch.lane].process;
    for (const Step& step : input.context.get<Steps>().all)
        if (step.slice && step.process == process && step.range.begin <= time &&
            time < step.range.end)
            return trace.name_id(step.slice);
    return StringPool::none;
}

std::map<CallKey, std::vector<Arrival>> arrivals_of(const RuleInput& input) {
    const Trace& trace = input.trace();
    std::vector<uint32_t> device_of(trace.gpu_activities.slice.size(), kNoRow);
    for (const DeviceWindow& device : input.devices)
        for (const GpuWork& work : device.work->work) device_of[work.row] = device.place;
    std::map<CallKey, std::vector<Arrival>> arrivals;
    const auto text = [](const Column<StringId>& column, uint32_t row) {
        return row == kNoRow || column.empty() ? StringPool::none : column[row];
    };
    const bool are_files = trace.parts.size() > 1;
    for (const CollectiveRow& row : input.context.get<AllCollectives>().rows) {
        // Which ranks a point-to-point transfer connects is not recorded.
        const bool is_of_all =
            row.type != CollectiveType::send_receive && row.type != CollectiveType::unknown;
        if (!is_of_all || row.activity == kNoRow || device_of[row.activity] == kNoRow) continue;
        arrivals[{row.type, text(trace.collectives.group_name, row.keys),
                  text(trace.collectives.group_ranks, row.keys),
                  are_files ? step_of(input, row) : StringPool::none}]
            .push_back({device_of[row.activity],
                        row.slice,
                        {trace.start(row.slice), trace.slice_end(row.slice)}});
    }
    return arrivals;
}

// A collective ends on all ranks at nearly the same time, after all of them have begun: sorted by
// end, the parts of one call follow each other.
std::vector<CollectiveCall> calls_of(std::vector<Arrival> arrivals) {
    std::ranges::sort(arrivals, {}, [](const Arrival& one) { return one.time.end; });
    std::vector<CollectiveCall> calls;
    Nanos latest = 0;
    for (const Arrival& one : arrivals) {
        const bool joins =
            !calls.empty() &&
            std::ranges::find(calls.back(), one.device, &Arrival::device) == calls.back().end() &&
            one.time.begin < calls.back().front().time.end && latest < one.time.end;
        if (!joins) {
            calls.emplace_back();
            latest = one.time.begin;
        }
        latest = std::max(latest, one.time.begin);
        calls.back().push_back(one);
    }
    std::erase_if(calls, [](const CollectiveCall& call) { return call.size() < 2; });
    return calls;
}

// The clocks of several files need not agree: there the n-th call of a step on one rank is the n-th
// on the others, if all have equally many.
std::vector<CollectiveCall> calls_of_files(const std::vector<Arrival>& arrivals) {
    std::map<uint32_t, std::vector<Arrival>> by_device;
    for (const Arrival& one : arrivals) by_device[one.device].push_back(one);
    const std::size_t count = by_device.empty() ? 0 : by_device.begin()->second.size();
    for (auto& [device, of_device] : by_device) {
        if (of_device.size() != count) return {};
        std::ranges::sort(of_device, {}, [](const Arrival& one) { return one.time.begin; });
    }
    if (by_device.size() < 2) return {};
    std::vector<CollectiveCall> calls(count);
    for (const auto& [device, of_device] : by_device)
        for (std::size_t i = 0; i < count; ++i) calls[i].push_back(of_device[i]);
    return calls;
}

// A call and its rank that arrived last. In several files it is the one that was shortest: all end
// together.
struct CallWaits {
    const Arrival* last = nullptr;
    bool by_length = false;

    TimeRange wait_of(const Arrival& one) const {
        return {one.time.begin, by_length ? one.time.begin + one.time.length() - last->time.length()
                                          : last->time.begin};
    }
};
CallWaits last_of(const CollectiveCall& call, bool by_length) {
    const auto begin = [](const Arrival& one) { return one.time.begin; };
    const auto length = [](const Arrival& one) { return one.time.length(); };
    return {by_length ? &*std::ranges::min_element(call, {}, length)
                      : &*std::ranges::max_element(call, {}, begin),
            by_length};
}

struct RankWaits {
    std::vector<TimeRange> times;
    uint64_t calls = 0;
    std::map<uint32_t, Nanos> by_late;  // by the device that arrived last
    LargestPlaces places;
};

std::vector<RankWaits> waits_of(const RuleInput& input) {
    std::vector<RankWaits> waits(input.devices.size());
    const bool are_files = input.trace().parts.size() > 1;
    for (auto& [key, arrivals] : arrivals_of(input)) {
        for (const CollectiveCall& call :
             are_files ? calls_of_files(arrivals) : calls_of(std::move(arrivals))) {
            const CallWaits found = last_of(call, are_files);
            for (const Arrival& one : call) {
                const TimeRange wait = found.wait_of(one);
                if (wait.length() <= 0 || !input.devices[one.device].contains(wait.begin)) continue;
                RankWaits& of_device = waits[one.device];
                of_device.times.push_back(wait);
                of_device.by_late[found.last->device] += wait.length();
                of_device.places.add(one.slice, wait);
                ++of_device.calls;
            }
        }
    }
    return waits;
}

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

}  // namespace

std::vector<Finding> LateRankRule::find(const RuleInput& input) const {
    if (input.devices.size() < 2) return {};
    std::vector<Finding> findings;
    std::vector<RankWaits> waits = waits_of(input);
    for (const DeviceWindow& device : input.devices) {
        RankWaits& waited = waits[device.place];
        const Intervals times = intersect(merged(std::move(waited.times)), device.times);
        auto finding = finding_for(device, min_share, subtract(times, device.computing));
        if (!finding) continue;
        const auto late = std::ranges::max_element(waited.by_late, {},
                                                   [](const auto& one) { return one.second; });
        const bool has_groups = !input.trace().collectives.group_name.empty();
        finding->confidence = has_groups ? Confidence::likely : Confidence::possible;
        finding->title = fmt::format(
            "In {} this GPU waits {} for GPUs that arrive later, mostly for {}",
            format_count(waited.calls, "collective", "collectives"),
            format_duration(static_cast<double>(*finding->cost)), rank_label(input, late->first));
        for (const auto& [other, time] : waited.by_late)
            finding->evidence.push_back(
                duration_of(fmt::format("until {} arrives last", rank_label(input, other)), time,
                            "collectives.duration_ns"));
        std::ranges::stable_sort(finding->evidence, std::greater(), &FindingEvidence::value);
        finding->evidence.push_back(remark(
            input.trace().parts.size() > 1
                ? "collectives are matched by type, group, step and order; the waits are the "
                  "differences of their durations, since a collective ends on all ranks at once"
            : has_groups ? "collectives are matched by type, group and time: the clocks of "
                           "the ranks must agree"
                         : "collectives are matched by type and time, since their groups are "
                           "not recorded"));
        finding->advice =
            "Look at what the late rank does before it arrives: more work, a slower host, or its "
            "data loader. Give all ranks the same amount of work and the same processors.";
        finding->places = std::move(waited.places).take(input.trace());
        findings.push_back(std::move(*finding));
    }
    return findings;
}

}  // namespace lanescope
