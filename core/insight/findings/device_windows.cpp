#include "core/insight/findings/device_windows.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/analysis/structure/device_steps.h"
#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/lost_launches.h"
#include "core/analysis/structure/recording_edges.h"
#include "core/insight/findings/input_work.h"
#include "core/insight/summary/together.h"
#include "core/trace/record_faults.h"
#include "core/trace/stream_captures.h"

namespace lanescope {

namespace {

constexpr double kMinorShare = 0.01;
constexpr double kMostLost = 0.05;  // of the launches of a window

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
    const Intervals idle = subtract(subtract(window.idle(), window.loading), window.input.named);
    return subtract(subtract(idle, window.input.before_launches), merged(std::move(others)));
}

// How many launches of the window's host lack their work, and how long it captures graphs.
MissingWork missing_work(const TraceContext& context, const DeviceWindow& window) {
    const Trace& trace = context.trace();
    MissingWork missing;
    missing.host = total_length(window.host);
    std::vector<TimeRange> captures;
    for (const StreamCapture& capture : stream_captures(trace))
        if (window.summary->users[capture.process]) captures.push_back(capture.range);
    missing.capturing = total_length(intersect(merged(std::move(captures)), window.host));
    const LostLaunches& lost = context.get<LostLaunches>();
    if (lost.rows.empty()) return missing;
    const auto count = [&](const std::vector<uint32_t>& rows) {
        return static_cast<uint64_t>(std::ranges::count_if(rows, [&](uint32_t row) {
            const SliceRef call = trace.runtime_calls.slice[row];
            return window.summary->users[trace.lanes[call.lane].process] &&
                   window.contains_call(trace.start(call));
        }));
    };
    missing.lost = count(lost.rows);
    if (missing.lost > 0) missing.launches = count(launches_of(trace));
    return missing;
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

// Removes the gap and everything on its outer side from the window.
void leave_out(const RecordingEdge& edge, DeviceWindow& window) {
    const TimeRange span = span_of(window.work->work);
    const TimeRange whole{std::min(window.times.front().begin, span.begin),
                          std::max(window.times.back().end, span.end)};
    window.times = {edge.rest_of(whole)};
    window.host = intersect(window.host, {edge.rest_of(kAllTime)});
    std::erase_if(window.gaps,
                  [](const IdleGap* gap) { return gap->cause == GapCause::recording; });
    window.edge = edge;
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
    window.missing = missing_work(context, window);
    const auto& edge = context.get<RecordingEdges>().of_device[place];
    if (edge && !query.range) leave_out(*edge, window);
    window.length = total_length(window.times);
    window.loading = loading_of(context.trace(), window);
    window.input = input_work(context, window);
    window.overhead = overhead_of(context, window);
    find_bound(window, merged(std::move(communication)));
    if (window.is_late) count_late_work(window);
    return window;
}

void make_empty(DeviceWindow& device) {
    device.times.clear();
    device.host.clear();
    device.counted.clear();
    device.length = 0;
    device.steps = 0;
    device.loading.clear();
    device.overhead.clear();
    device.input = {};
    device.bound_times = {};
    device.bound = StepBound::unknown;
}

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
        make_empty(device);
    }
}

void leave_out_outside_steps(DeviceWindow& device) {
    const Nanos inside = total_length(intersect(device.times, device.busy));
    device.is_outside_steps = device.steps > 0 && !device.is_late && !device.is_minor &&
                              static_cast<double>(inside) <=
                                  kMinorShare * static_cast<double>(total_length(device.busy)) &&
                              device.share(inside) <= kMinorShare / 10;
    if (device.is_outside_steps) make_empty(device);
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

bool MissingWork::hides_idle() const {
    return static_cast<double>(lost) > kMostLost * static_cast<double>(launches) ||
           (capturing > 0 && 2 * capturing > host);
}

std::vector<DeviceWindow> device_windows(const TraceContext& context, const TableQuery& query,
                                         const Summary& summary) {
    std::vector<DeviceWindow> devices(summary.devices.size());
    parallel_for(threads_for(context.trace()), devices.size(), [&](std::size_t place) {
        devices[place] = window_of(context, query, summary, static_cast<uint32_t>(place));
    });
    leave_out_minor(devices);
    for (DeviceWindow& device : devices) leave_out_outside_steps(device);
    return devices;
}

}  // namespace lanescope
