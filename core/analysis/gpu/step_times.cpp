#include "core/analysis/gpu/step_times.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "core/analysis/gpu/gaps.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/device_steps.h"
#include "core/analysis/structure/gpu_work.h"
#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/steps.h"
#include "core/base/intervals.h"

namespace lanescope {

namespace {

// Sets of time for one process.
struct StepProcess {
    Intervals busy;                  // kernels, copies, sets
    Intervals exposed;               // kernels of collectives, and no other kernels
    Intervals loading;               // and nothing of `busy`
    Intervals overhead;              // idle because of the host, without `loading`
    std::vector<Intervals> working;  // by thread: in operators, without waiting calls
};

// For processes that have steps.
void add_gpu_times(const TraceContext& context, std::vector<StepProcess>& times) {
    std::vector<bool> has_steps(times.size());
    for (const Step& step : context.get<Steps>().all) has_steps[step.process] = true;
    const std::vector<WorkTimes> work = work_times(context.trace(), context.get<GpuDevices>().all,
                                                   context.get<Attribution>().launch, has_steps);
    for (std::size_t p = 0; p < times.size(); ++p) {
        const auto work_of = [&](WorkKind kind) -> const Intervals& {
            return work[p][static_cast<std::size_t>(kind)];
        };
        times[p].exposed = subtract(work_of(WorkKind::communication), work_of(WorkKind::compute));
        for (const Intervals& kind : work[p]) add(times[p].busy, kind);
    }
}

// How slices count, by their category and name.
enum SliceTrait : uint8_t {
    kCountsInStep = 1,
    kOpOfStep = 2,
    kCallOfStep = 4,
    kWaitsInStep = 8,
    kLoadsInStep = 16
};

std::vector<uint8_t> step_traits_of_categories(const Trace& trace) {
    std::vector<uint8_t> traits;
    for (const Category& category : trace.categories) {
        const EventClass c = category.event_class;
        const bool counts = c != EventClass::python && c != EventClass::other;
        traits.push_back(static_cast<uint8_t>((counts ? kCountsInStep : 0) |
                                              (c == EventClass::op ? kOpOfStep : 0) |
                                              (c == EventClass::runtime ? kCallOfStep : 0) |
                                              (c == EventClass::sync ? kWaitsInStep : 0)));
    }
    return traits;
}

std::vector<uint8_t> step_traits_of_names(const Trace& trace) {
    std::vector<uint8_t> traits(trace.strings.size(), 0);
    for (StringId id = 0; id < traits.size(); ++id)
        if (is_data_loading(trace.strings[id])) traits[id] = kLoadsInStep;
    for (StringId id = 0; id < trace.name_traits.size(); ++id)
        if ((trace.name_traits[id] & kSyncCall) != 0) traits[id] |= kWaitsInStep;
    return traits;
}

// Slices of one depth follow each other in time.
void add_thread_times(const Trace& trace, std::vector<StepProcess>& times) {
    const std::vector<uint8_t> of_category = step_traits_of_categories(trace);
    const std::vector<uint8_t> of_name = step_traits_of_names(trace);
    for (const Lane& lane : trace.lanes) {
        if (lane.kind != LaneKind::thread || trace.processes[lane.process].is_gpu) continue;
        const LaneView view(lane);
        UnionOfRows ops;
        UnionOfRows waits;
        UnionOfRows loading;
        for (uint32_t depth = 0; depth < view.depth_count(); ++depth) {
            view.visit_row_of_chunks(depth, [&](const Chunk& chunk, uint32_t i) {
                const uint8_t category = of_category[chunk.category[i]];
                if ((category & kCountsInStep) == 0) return;
                const uint8_t name = of_name[chunk.name[i]];
                const TimeRange time{chunk.start[i], chunk.end(i)};
                if ((name & kLoadsInStep) != 0) loading.add(time);
                if ((category & kOpOfStep) != 0) ops.add(time);
                if ((category & kWaitsInStep) != 0 ||
                    ((category & kCallOfStep) != 0 && (name & kWaitsInStep) != 0))
                    waits.add(time);
            });
            for (UnionOfRows* all : {&ops, &waits, &loading}) all->end_row();
        }
        StepProcess& process_times = times[lane.process];
        const Intervals in_ops = std::move(ops).take();
        if (!in_ops.empty())
            process_times.working.push_back(subtract(in_ops, std::move(waits).take()));
        add(process_times.loading, std::move(loading).take());
    }
    for (StepProcess& process_times : times)
        process_times.loading = subtract(process_times.loading, process_times.busy);
}

// A gap belongs to the process that launched the activity after it. Before its first launch and
// after its last activity there are no gaps, but the host launched nothing. With several devices,
// only time in which all of them are idle counts.
void add_overhead(const TraceContext& context, std::vector<StepProcess>& times) {
    const Trace& trace = context.trace();
    std::vector<std::vector<TimeRange>> gaps(times.size());
    for (const IdleGap& gap : context.get<AllIdleGaps>().rows)
        if (gap.of_device && is_overhead(trace, gap))
            gaps[trace.lanes[gap.launch.lane].process].push_back(gap.range);
    std::vector<Nanos> first_launch(times.size(), kAllTime.end);
    for (const SliceRef launch : context.get<Attribution>().launch)
        if (launch) {
            Nanos& first = first_launch[trace.lanes[launch.lane].process];
            first = std::min(first, trace.start(launch));
        }
    for (std::size_t p = 0; p < times.size(); ++p) {
        StepProcess& process_times = times[p];
        const Intervals& busy = process_times.busy;
        if (first_launch[p] < kAllTime.end && !busy.empty()) {
            gaps[p].push_back({kAllTime.begin, std::min(first_launch[p], busy.front().begin)});
            gaps[p].push_back({busy.back().end, kAllTime.end});
        }
        process_times.overhead =
            subtract(subtract(merged(std::move(gaps[p])), busy), process_times.loading);
    }
}

// The GPU work launched in a step.
struct StepLaunches {
    uint64_t kernels = 0;
    std::vector<TimeRange> times;  // of all work
};

std::vector<StepLaunches> work_of_steps(const TraceContext& context) {
    const Trace& trace = context.trace();
    const std::vector<uint32_t>& step_of_work = context.get<DeviceSteps>().step_of_work;
    std::vector<StepLaunches> work(context.get<Steps>().all.size());
    for (uint32_t row = 0; row < step_of_work.size(); ++row) {
        const uint32_t step = step_of_work[row];
        if (step == kNoRow) continue;
        const SliceRef activity = trace.gpu_activities.slice[row];
        if (trace.event_class(activity) != EventClass::memory) ++work[step].kernels;
        work[step].times.push_back({trace.start(activity), trace.slice_end(activity)});
    }
    return work;
}

// The parts of the time that limits a step. Work that runs only after the step on the host counts
// for its step if the host does not wait for it there.
BoundTimes parts_of(const Step& step, const DeviceStep& on_device, StepPace pace,
                    const StepProcess& process_times, const StepRow& row) {
    const TimeRange window = on_device.window;
    BoundTimes parts;
    parts.whole = window.length();
    parts.data_loading = covered_length(process_times.loading, window);
    parts.busy = covered_length(process_times.busy, window);
    parts.exposed_communication = covered_length(process_times.exposed, window);
    parts.overhead = covered_length(process_times.overhead, window);
    if (step.by_work || pace == StepPace::late) {
        parts.busy = std::max(parts.busy, row.gpu_busy);
        parts.exposed_communication =
            std::max(parts.exposed_communication, row.exposed_communication);
    }
    parts.busy = std::min(parts.busy, parts.whole - parts.data_loading);
    if (pace == StepPace::late)
        parts.overhead = parts.whole - parts.data_loading - parts.busy;
    else
        parts.busy = std::min(parts.busy, parts.whole - parts.data_loading - parts.overhead);
    parts.exposed_communication = std::min(parts.exposed_communication, parts.busy);
    return parts;
}

StepRow row_of(const TraceContext& context, uint32_t step, const StepProcess& process_times,
               StepLaunches work) {
    const Steps& steps = context.get<Steps>();
    const DeviceSteps& device_steps = context.get<DeviceSteps>();
    const Step& one = steps.all[step];
    StepRow row;
    row.step = step;
    row.time = device_steps.time(steps, step);
    row.kernels = work.kernels;
    for (const Intervals& thread : process_times.working)
        row.cpu_self += covered_length(thread, one.range);
    const Intervals launched = merged(std::move(work.times));
    row.gpu_busy = total_length(launched);
    row.exposed_communication = total_length(intersect(process_times.exposed, launched));
    row.parts =
        parts_of(one, device_steps.all[step], device_steps.pace[one.process], process_times, row);
    if (!process_times.busy.empty()) row.bound = step_bound(row.parts);
    return row;
}

// A smaller difference is noise, however regular the other steps are.
constexpr double kLeastDeviation = 0.05;

void mark_odd_steps(StepTimes& times) {
    std::vector<Nanos> durations;
    for (const StepRow& row : times.rows) durations.push_back(row.time);
    const std::size_t warm_up = warm_up_steps(durations);
    std::vector<Nanos> sorted(durations.begin() + static_cast<std::ptrdiff_t>(warm_up),
                              durations.end());
    std::sort(sorted.begin(), sorted.end());
    times.durations = distribution_of(sorted);
    for (std::size_t i = 0; i < times.rows.size(); ++i) {
        const auto d = static_cast<double>(durations[i]);
        StepRow& row = times.rows[i];
        row.warm_up = i < warm_up;
        row.deviation = times.durations.p50 > 0 ? d / times.durations.p50 - 1
                                                : std::numeric_limits<double>::quiet_NaN();
        row.outlier =
            !row.warm_up && d > times.durations.outlier_limit && !(row.deviation < kLeastDeviation);
    }
}

}  // namespace

std::size_t warm_up_steps(std::span<const Nanos> in_time) {
    const std::size_t most = warm_up_count(in_time);
    std::vector<Nanos> rest(in_time.begin() + static_cast<std::ptrdiff_t>(most), in_time.end());
    if (rest.empty()) return 0;
    std::ranges::sort(rest);
    const double limit = (1 + kLeastDeviation) * quantile(rest, 0.5);
    const auto steady = std::ranges::find_if(
        in_time.first(most), [&](Nanos time) { return static_cast<double>(time) < limit; });
    return static_cast<std::size_t>(steady - in_time.begin());
}

StepTimes step_times(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const Steps& steps = context.get<Steps>();
    StepTimes times;
    if (steps.all.empty()) return times;
    std::vector<StepProcess> of_process(trace.processes.size());
    add_gpu_times(context, of_process);
    add_thread_times(trace, of_process);
    add_overhead(context, of_process);
    std::vector<StepLaunches> work = work_of_steps(context);
    for (uint32_t i = 0; i < steps.all.size(); ++i) {
        if (query.range && !query.range->contains(steps.all[i].range.begin)) continue;
        times.rows.push_back(
            row_of(context, i, of_process[steps.all[i].process], std::move(work[i])));
    }
    mark_odd_steps(times);
    return times;
}

}  // namespace lanescope
