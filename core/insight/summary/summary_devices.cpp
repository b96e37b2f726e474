// The part of core/insight/summary/summary.h about GPUs.
#include <algorithm>
#include <map>
#include <vector>

#include "core/analysis/gpu/gaps.h"
#include "core/analysis/gpu/launches.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/device_steps.h"
#include "core/analysis/structure/gpu_work.h"
#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/steps.h"
#include "core/base/intervals.h"
#include "core/insight/summary/summary.h"

namespace lanescope {

namespace {

constexpr std::size_t kGapsListed = 8;

TimeRange cut(TimeRange range, const std::optional<TimeRange>& to) {
    if (!to) return range;
    return {std::max(range.begin, to->begin), std::min(range.end, to->end)};
}

// By process: whether it launched work of the device. If no launch is known, all may have.
std::vector<bool> launching_processes(const TraceContext& context, const GpuDevice& device) {
    const Trace& trace = context.trace();
    const std::vector<SliceRef>& launch_of = context.get<Attribution>().launch;
    std::vector<bool> launches(trace.processes.size(), false);
    bool any = false;
    for (const GpuWork& work : device.work) {
        const SliceRef call = launch_of[work.row];
        if (!call) continue;
        launches[trace.lanes[call.lane].process] = true;
        any = true;
    }
    if (!any) launches.assign(launches.size(), true);
    return launches;
}

Intervals data_loading(const Trace& trace, const std::vector<bool>& processes) {
    std::vector<bool> loads(trace.strings.size());
    bool any = false;
    for (StringId id = 0; id < trace.strings.size(); ++id) {
        loads[id] = is_data_loading(trace.strings[id]);
        any = any || loads[id];
    }
    std::vector<TimeRange> ranges;
    if (!any) return ranges;
    for (const Lane& lane : trace.lanes) {
        if (lane.kind != LaneKind::thread || !processes[lane.process]) continue;
        const LaneView view(lane);
        for (uint32_t i = 0; i < view.size(); ++i)
            if (loads[view.name(i)]) ranges.push_back({view.start(i), view.end(i)});
    }
    return merged(std::move(ranges));
}

Intervals times_of_steps(const TraceContext& context, const TableQuery& query,
                         const std::vector<bool>& processes) {
    const Steps& steps = context.get<Steps>();
    const DeviceSteps& device_steps = context.get<DeviceSteps>();
    std::vector<TimeRange> ranges;
    for (uint32_t i = 0; i < steps.all.size(); ++i)
        if (const TimeRange range = cut(device_steps.all[i].window, query.device_range());
            processes[steps.all[i].process] && range.begin < range.end)
            ranges.push_back(range);
    return merged(std::move(ranges));
}

// When the device works in these times; if it is late, when it does the steps' work.
Intervals busy_in_steps(const TraceContext& context, const TableQuery& query,
                        const GpuDevice& device, const Intervals& steps, const Intervals& busy) {
    const Steps& all = context.get<Steps>();
    const DeviceSteps& device_steps = context.get<DeviceSteps>();
    std::vector<TimeRange> late;
    for (const GpuWork& work : device.work) {
        const uint32_t step = device_steps.step_of_work[work.row];
        if (step != kNoRow && device_steps.pace[all.all[step].process] == StepPace::late &&
            query.has(all.all[step].range.begin))
            late.push_back(work.range);
    }
    return late.empty() ? intersect(steps, busy) : merged(std::move(late));
}

void count_work(const Trace& trace, const GpuDevice& device, const TableQuery& query,
                SummaryDevice& found) {
    for (const GpuWork& work : device.work) {
        if (!query.has_work(work.row, work.range.begin)) continue;
        const bool copy = work.kind == WorkKind::copy;
        if (!copy && work.kind != WorkKind::set) ++found.kernels;
        if (!copy) continue;
        const std::string_view name = trace.name(trace.gpu_activities.slice[work.row]);
        if (name.find("Pageable") == std::string_view::npos) continue;
        ++found.pageable_copies;
        found.pageable_copy_time += work.range.length();
    }
}

// `loading`: times in which the data loader runs and the device does not.
SummaryDevice device_of(const TraceContext& context, const TableQuery& query,
                        const GpuDevice& device, const Intervals& overhead, Intervals& loading) {
    SummaryDevice found;
    found.users = launching_processes(context, device);
    found.process = device.process;
    found.device = device.device;
    found.time = break_down(device.work, SetsAre::memory, query.device_range(), overhead);
    count_work(context.trace(), device, query, found);
    std::vector<TimeRange> ranges;
    for (const GpuWork& work : device.work) ranges.push_back(work.range);
    const Intervals busy = merged(std::move(ranges));
    const Intervals steps = times_of_steps(context, query, found.users);
    found.steps = total_length(steps);
    found.busy_in_steps = total_length(busy_in_steps(context, query, device, steps, busy));
    const TimeRange span = cut(span_of(device.work), query.device_range());
    if (span.begin < span.end)
        loading = subtract(intersect(data_loading(context.trace(), found.users), {span}), busy);
    found.data_loading = total_length(loading);
    return found;
}

// When none of the processes that use the device was recorded, between windows.
Intervals between_windows(const TraceContext& context, const SummaryDevice& device) {
    const Steps& steps = context.get<Steps>();
    std::optional<Intervals> between;
    for (uint32_t process = 0; process < device.users.size(); ++process) {
        if (!device.users[process]) continue;
        Intervals of_process = between_windows(steps, process);
        between = between ? intersect(*between, of_process) : std::move(of_process);
    }
    return between.value_or(Intervals());
}

SummaryDevice* find_device(std::vector<SummaryDevice>& devices, uint32_t process, int32_t device) {
    for (SummaryDevice& d : devices)
        if (d.process == process && d.device == device) return &d;
    return nullptr;
}

void add_gaps(const TraceContext& context, const TableQuery& query,
              std::span<const Intervals> loading, std::vector<SummaryDevice>& devices) {
    const Column<IdleGap> cut = query.range ? idle_gaps(context, query) : Column<IdleGap>();
    std::vector<std::vector<TimeRange>> overhead(devices.size());
    std::vector<Intervals> between(devices.size());
    for (std::size_t d = 0; d < devices.size(); ++d)
        between[d] = between_windows(context, devices[d]);
    for (const IdleGap& gap : query.range ? cut : context.get<AllIdleGaps>().rows) {
        SummaryDevice* device = find_device(devices, gap.process, gap.device);
        if (!gap.of_device || !device) continue;
        const Intervals& unrecorded = between[static_cast<std::size_t>(device - devices.data())];
        if (2 * covered_length(unrecorded, gap.range) > gap.range.length()) {
            device->between_windows += gap.range.length();
            continue;
        }
        if (gap.cause == GapCause::recording) {
            device->at_edges += gap.range.length();
            continue;
        }
        if (device->gaps.size() < kGapsListed) device->gaps.push_back(gap_story(context, gap));
        ++device->gap_count;
        auto cause = std::ranges::find(device->causes, gap.cause, &SummaryCause::cause);
        if (cause == device->causes.end()) cause = device->causes.insert(cause, {gap.cause, 0, 0});
        ++cause->gaps;
        cause->total += gap.range.length();
        if (is_overhead(context.trace(), gap))
            overhead[static_cast<std::size_t>(device - devices.data())].push_back(gap.range);
    }
    for (std::size_t d = 0; d < devices.size(); ++d) {
        std::ranges::stable_sort(devices[d].causes, std::greater(), &SummaryCause::total);
        devices[d].overhead = total_length(subtract(merged(std::move(overhead[d])), loading[d]));
    }
}

void add_launches(const TraceContext& context, const TableQuery& query,
                  std::span<const GpuDevice> work, std::vector<SummaryDevice>& devices) {
    std::vector<uint32_t> device_of_row(context.trace().gpu_activities.slice.size());
    for (uint32_t d = 0; d < work.size(); ++d)
        for (const GpuWork& w : work[d].work) device_of_row[w.row] = d;
    const std::vector<Launch> cut = query.range ? launches(context, query) : std::vector<Launch>();
    for (const Launch& launch : query.range ? cut : context.get<AllLaunches>().rows) {
        SummaryDevice& device = devices[device_of_row[launch.row]];
        ++device.launches;
        device.deepest_queue = std::max(device.deepest_queue, launch.queue_depth);
    }
}

}  // namespace

std::vector<SummaryDevice> summarise_devices(const TraceContext& context, const TableQuery& query) {
    const std::span<const GpuDevice> work = context.get<GpuDevices>().all;
    const Intervals& overhead = context.get<ProfilerOverhead>().times;
    std::vector<SummaryDevice> devices;
    devices.reserve(work.size());
    std::vector<Intervals> loading(work.size());
    for (std::size_t d = 0; d < work.size(); ++d)
        devices.push_back(device_of(context, query, work[d], overhead, loading[d]));
    add_gaps(context, query, loading, devices);
    add_launches(context, query, work, devices);
    return devices;
}

}  // namespace lanescope
