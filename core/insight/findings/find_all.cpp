#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "core/analysis/critical_path/dependency_graph.h"
#include "core/analysis/gpu/gaps.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/device_steps.h"
#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/lost_launches.h"
#include "core/insight/findings/rule.h"
#include "core/insight/summary/together.h"

namespace lanescope {

namespace {

constexpr std::size_t kPlacesKept = 20;
constexpr double kHighShare = 0.10;
constexpr double kMediumShare = 0.03;

// Fills the window with the steady steps of the processes that use the device, without those that
// lack GPU records.
void add_steady_steps(const TraceContext& context, const Summary& summary, DeviceWindow& window) {
    const Steps& steps = context.get<Steps>();
    const DeviceSteps& device_steps = context.get<DeviceSteps>();
    window.step_of_work = &device_steps.step_of_work;
    window.counted.resize(steps.all.size());
    const std::vector<bool>& is_lacking = context.get<LostLaunches>().is_lacking;
    const bool any_whole = std::ranges::find(is_lacking, false) != is_lacking.end();
    std::vector<TimeRange> times, host;
    for (const SummaryStep& row : summary.steps.all) {
        const Step& step = steps.all[row.step];
        if (row.warm_up || row.bound == StepBound::unknown || !window.summary->users[step.process])
            continue;
        if (any_whole && is_lacking[row.step]) continue;
        window.counted[row.step] = true;
        times.push_back(device_steps.all[row.step].window);
        host.push_back(step.range);
    }
    window.times = merged(std::move(times));
    window.host = merged(std::move(host));
}

// Whether the steps' work runs only after they have ended on the host.
bool is_late(const TraceContext& context, const DeviceWindow& window) {
    const std::vector<Step>& steps = context.get<Steps>().all;
    const std::vector<StepPace>& pace = context.get<DeviceSteps>().pace;
    for (std::size_t i = 0; i < window.counted.size(); ++i)
        if (window.counted[i] && pace[steps[i].process] == StepPace::late) return true;
    return false;
}

// When the device idles while a data loader of its processes runs.
Intervals loading_of(const Trace& trace, const DeviceWindow& window) {
    std::vector<TimeRange> ranges;
    std::vector<bool> loads(trace.strings.size());
    for (StringId id = 0; id < trace.strings.size(); ++id)
        loads[id] = is_data_loading(trace.strings[id]);
    if (std::ranges::find(loads, true) == loads.end()) return {};
    for (const Lane& lane : trace.lanes) {
        if (lane.kind != LaneKind::thread || !window.summary->users[lane.process]) continue;
        const LaneView view(lane);
        for (uint32_t i = 0; i < view.size(); ++i)
            if (loads[view.name(i)]) ranges.push_back({view.start(i), view.end(i)});
    }
    return intersect(merged(std::move(ranges)), window.idle());
}

// Idle time without another cause, so the host is the cause. From the first launch to the first
// activity the cause is start-up, as in the table of steps.
Intervals overhead_of(const TraceContext& context, const DeviceWindow& window) {
    std::vector<TimeRange> others;
    if (!window.work->work.empty() && !window.is_late) {
        const GpuWork& first = window.work->work.front();
        if (const SliceRef call = context.get<Attribution>().launch[first.row])
            others.push_back({context.trace().start(call), first.range.begin});
    }
    for (const IdleGap* const gap : window.gaps)
        if (!is_overhead(context.trace(), *gap)) others.push_back(gap->range);
    return subtract(subtract(window.idle(), window.loading), merged(std::move(others)));
}

void find_bound(DeviceWindow& window, const Intervals& communication) {
    const Nanos idle = total_length(window.idle());
    window.bound_times.whole = window.length;
    window.bound_times.busy = window.length - idle;
    window.bound_times.exposed_communication =
        total_length(subtract(intersect(communication, window.times), window.computing));
    window.bound_times.data_loading = total_length(window.loading);
    window.bound_times.overhead = total_length(window.overhead);
    window.bound = step_bound(window.bound_times);
}

// Work that runs after the steps is part of their time all the same.
void count_late_work(DeviceWindow& window) {
    std::vector<TimeRange> ranges;
    for (const GpuWork& work : window.work->work)
        if (window.counts(work)) ranges.push_back(work.range);
    BoundTimes& times = window.bound_times;
    const Nanos most = times.whole - times.data_loading;
    times.busy = std::clamp(total_length(merged(std::move(ranges))), times.busy, most);
    times.overhead = most - times.busy;
    window.bound = step_bound(times);
}

DeviceWindow window_of(const TraceContext& context, const TableQuery& query, const Summary& summary,
                       uint32_t place) {
    const GpuDevice& work = context.get<GpuDevices>().all[place];
    DeviceWindow window;
    window.place = place;
    window.summary = &summary.devices[place];
    window.work = &work;
    window.steps = window.summary->bound_steps;
    if (window.steps > 0) {
        add_steady_steps(context, summary, window);
        window.is_late = is_late(context, window);
    } else {
        window.times = {span_of(work.work)};
        window.host = window.times;
    }
    if (const auto range = query.device_range()) window.times = intersect(window.times, {*range});
    if (query.range) window.host = intersect(window.host, {*query.range});
    window.length = total_length(window.times);
    std::vector<TimeRange> busy;
    std::vector<TimeRange> computing;
    std::vector<TimeRange> communication;
    for (const GpuWork& one : work.work) {
        busy.push_back(one.range);
        if (one.kind == WorkKind::compute) computing.push_back(one.range);
        if (one.kind == WorkKind::communication) communication.push_back(one.range);
    }
    for (const IdleGap& gap : context.get<AllIdleGaps>().rows)
        if (gap.of_device && gap.process == work.process && gap.device == work.device)
            window.gaps.push_back(&gap);
    window.busy = merged(std::move(busy));
    window.computing = merged(std::move(computing));
    window.loading = loading_of(context.trace(), window);
    window.overhead = overhead_of(context, window);
    find_bound(window, merged(std::move(communication)));
    if (window.is_late) count_late_work(window);
    return window;
}

// A finding is part of a larger one that contains most of its time.
void find_parts(std::vector<Finding>& findings) {
    for (Finding& finding : findings) {
        std::string_view whole;
        Nanos most = total_length(finding.times) / 2;
        for (const Finding& other : findings) {
            if (other.device != finding.device || other.rule == finding.rule) continue;
            // A finding without times names the other one itself.
            if (finding.times.empty() && other.rule == finding.part_of) whole = other.rule;
            if (other.cost <= finding.cost) continue;
            const Nanos common = total_length(intersect(finding.times, other.times));
            if (common <= most) continue;
            most = common;
            whole = other.rule;
        }
        finding.part_of = whole;
    }
}

}  // namespace

double DeviceWindow::share(Nanos time) const {
    if (length <= 0) return 0;
    return std::clamp(static_cast<double>(time) / static_cast<double>(length), 0.0, 1.0);
}

bool DeviceWindow::counts(const GpuWork& piece) const {
    if (counted.empty()) return contains(piece.range.begin);
    const uint32_t step = (*step_of_work)[piece.row];
    return step != kNoRow && counted[step];
}

bool DeviceWindow::is_in(const Intervals& times, Nanos time) {
    const auto after = std::ranges::upper_bound(times, time, {}, &TimeRange::begin);
    return after != times.begin() && time < (after - 1)->end;
}

Severity severity_of(double share) {
    return share >= kHighShare     ? Severity::high
           : share >= kMediumShare ? Severity::medium
                                   : Severity::low;
}

Finding finding_on(const DeviceWindow& device, Nanos time) {
    Finding finding;
    finding.device = device.place;
    finding.cost = time;
    finding.share = device.share(time);
    if (device.steps > 0)
        finding.cost_per_step = static_cast<double>(time) / static_cast<double>(device.steps);
    finding.severity = severity_of(finding.share);
    return finding;
}

FindingPlace place_of(const Trace& trace, SliceRef slice) {
    const Nanos start = trace.start(slice);
    return {slice, {start, trace.slice_end(slice)}, slice.lane, std::string(trace.name(slice))};
}

std::vector<FindingPlace> LargestPlaces::take(const Trace& trace) && {
    const auto before = [](const Seed& a, const Seed& b) {
        return std::pair(-a.range.length(), a.range.begin) <
               std::pair(-b.range.length(), b.range.begin);
    };
    const std::size_t kept = std::min(seeds_.size(), kPlacesKept);
    std::ranges::partial_sort(seeds_, seeds_.begin() + static_cast<std::ptrdiff_t>(kept), before);
    std::vector<FindingPlace> places;
    for (const Seed& seed : std::span(seeds_).first(kept))
        places.push_back(seed.is_idle
                             ? FindingPlace{{},
                                            seed.range,
                                            seed.slice.lane,
                                            "idle before " + std::string(trace.name(seed.slice))}
                             : place_of(trace, seed.slice));
    return places;
}

bool is_inside(const RuleInput& input, const TimeRange& step) {
    const auto& range = input.query.range;
    return !range || (step.begin >= range->begin && step.end <= range->end);
}

void keep_largest(std::vector<FindingPlace>& places) {
    std::ranges::stable_sort(places, std::greater(),
                             [](const FindingPlace& place) { return place.range.length(); });
    if (places.size() > kPlacesKept) places.resize(kPlacesKept);
}

namespace {

constexpr double kMinorShare = 0.01;

// A program that only touches a device, to copy between devices or by mistake, does not use it.
void leave_out_minor(std::vector<DeviceWindow>& devices) {
    std::vector<Nanos> busy;
    busy.reserve(devices.size());
    for (const DeviceWindow& device : devices) busy.push_back(total_length(device.busy));
    for (DeviceWindow& device : devices) {
        const bool is_minor = std::ranges::any_of(devices, [&](const DeviceWindow& other) {
            const auto& users = device.summary->users;
            bool is_shared = false;
            for (std::size_t i = 0; i < users.size(); ++i)
                is_shared = is_shared || (users[i] && other.summary->users[i]);
            return is_shared && static_cast<double>(busy[device.place]) <
                                    kMinorShare * static_cast<double>(busy[other.place]);
        });
        if (!is_minor) continue;
        device.is_minor = true;
        device.times.clear();
        device.host.clear();
        device.counted.clear();
        device.length = 0;
        device.steps = 0;
        device.loading.clear();
        device.overhead.clear();
        device.bound_times = {};
        device.bound = StepBound::unknown;
    }
}

// The input of all rules.
struct Prepared {
    Summary summary;
    std::vector<DeviceWindow> devices;
};

bool loads_data(const Trace& trace) {
    if (trace.gpu_activities.slice.empty()) return false;
    for (StringId id = 0; id < trace.strings.size(); ++id)
        if (is_data_loading(trace.strings[id])) return true;
    return false;
}

void prepare(const TraceContext& context, const TableQuery& query, Prepared& prepared) {
    prepared.summary = summarise_bounds(context, query, [&] {
        // The cost of the data loader is computed on this graph, which takes longest.
        if (loads_data(context.trace())) context.get<DependencyGraph>();
    });
    prepared.devices.resize(prepared.summary.devices.size());
    parallel_for(threads_for(context.trace()), prepared.devices.size(), [&](std::size_t place) {
        prepared.devices[place] =
            window_of(context, query, prepared.summary, static_cast<uint32_t>(place));
    });
    leave_out_minor(prepared.devices);
}

}  // namespace

Findings find_all(const TraceContext& context, const Thresholds& thresholds,
                  const FindingsQuery& query) {
    Prepared prepared;
    prepare(context, query.table, prepared);
    Findings found;
    found.min_share = query.min_share;
    for (const DeviceWindow& window : prepared.devices)
        found.windows.push_back(
            {window.length, window.bound_times.busy, window.steps, window.is_minor});
    const RuleInput input{context, query.table, prepared.summary, prepared.devices};
    std::vector<std::vector<Finding>> by_rule(rules().size());
    parallel_for(threads_for(context.trace()), by_rule.size(),
                 [&](std::size_t i) { by_rule[i] = rules()[i].run(input, thresholds); });
    for (std::vector<Finding>& findings : by_rule)
        for (Finding& finding : findings) found.all.push_back(std::move(finding));
    std::erase_if(found.all, [&](const Finding& finding) {
        return finding.cost && finding.share < query.min_share;
    });
    find_parts(found.all);
    std::ranges::stable_sort(found.all, [](const Finding& a, const Finding& b) {
        return a.cost.value_or(-1) > b.cost.value_or(-1);
    });
    found.summary = std::move(prepared.summary);
    return found;
}

std::vector<std::pair<std::string_view, double>> seconds_by_rule(const TraceContext& context,
                                                                 const Thresholds& thresholds,
                                                                 const FindingsQuery& query) {
    using Clock = std::chrono::steady_clock;
    std::vector<std::pair<std::string_view, double>> all;
    Prepared prepared;
    auto last = Clock::now();
    const auto add = [&](std::string_view name) {
        const auto now = Clock::now();
        all.emplace_back(name, std::chrono::duration<double>(now - last).count());
        last = now;
    };
    prepare(context, query.table, prepared);
    add("summary and windows");
    const RuleInput input{context, query.table, prepared.summary, prepared.devices};
    for (const FindingRule& rule : rules()) {
        (void)rule.run(input, thresholds);
        add(rule.id);
    }
    return all;
}

}  // namespace lanescope
