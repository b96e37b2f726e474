#include "core/analysis/step_times.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/analysis/lane_view.h"
#include "core/base/intervals.h"

namespace lanescope {

namespace {

// Sets of time of one process.
struct ProcessTimes {
    Intervals busy;           // kernels, copies, sets
    Intervals compute;        // kernels that are no collective's
    Intervals communication;  // collectives' kernels
    Intervals loading;
    std::vector<Intervals> working;  // by thread: in operators, not in a waiting call
};

struct GpuRanges {
    std::vector<TimeRange> busy, compute, communication;
};

void set_gpu_times(ProcessTimes& times, GpuRanges ranges) {
    times.busy = merged(std::move(ranges.busy));
    times.compute = merged(std::move(ranges.compute));
    times.communication = merged(std::move(ranges.communication));
}

// Activities count for the process that launched them, or for all where the launch is not known.
void add_gpu_times(const TraceContext& context, std::vector<ProcessTimes>& times) {
    const Trace& trace = context.trace();
    const Attribution& attribution = context.attribution();
    std::vector<GpuRanges> of_process(times.size());
    GpuRanges of_all;
    for (uint32_t row = 0; row < trace.gpu_activities.slice.size(); ++row) {
        const SliceRef slice = trace.gpu_activities.slice[row];
        const TimeRange time{trace.start(slice), trace.slice_end(slice)};
        const EventClass c = trace.event_class(slice);
        const SliceRef launch = attribution.launch[row];
        GpuRanges& ranges = launch ? of_process[trace.lanes[launch.lane].process] : of_all;
        ranges.busy.push_back(time);
        if (c == EventClass::communication)
            ranges.communication.push_back(time);
        else if (c != EventClass::memory)
            ranges.compute.push_back(time);
    }
    ProcessTimes common;
    set_gpu_times(common, std::move(of_all));
    std::vector<bool> has_steps(times.size());
    for (const Step& step : context.steps().all) has_steps[step.process] = true;
    for (std::size_t p = 0; p < times.size(); ++p) {
        if (!has_steps[p]) continue;
        set_gpu_times(times[p], std::move(of_process[p]));
        times[p].busy = unite(times[p].busy, common.busy);
        times[p].compute = unite(times[p].compute, common.compute);
        times[p].communication = unite(times[p].communication, common.communication);
    }
}

void add(Intervals& all, const Intervals& more) {
    if (!more.empty()) all = unite(all, more);
}

// Slices of one depth follow each other in time.
void add_thread_times(const Trace& trace, std::vector<ProcessTimes>& times) {
    std::vector<uint8_t> loads(trace.strings.size());
    for (StringId id = 0; id < trace.strings.size(); ++id)
        loads[id] = is_data_loading(trace.strings[id]) ? 1 : 0;
    for (const Lane& lane : trace.lanes) {
        if (lane.kind != LaneKind::thread || trace.processes[lane.process].is_gpu) continue;
        const LaneView view(lane);
        UnionOfRows ops;
        UnionOfRows waits;
        UnionOfRows loading;
        for (uint32_t depth = 0; depth < view.depth_count(); ++depth) {
            view.visit_row(depth, [&](uint32_t i) {
                const EventClass base = trace.categories[view.category(i)].event_class;
                if (base == EventClass::python || base == EventClass::other) return;
                const TimeRange time{view.start(i), view.end(i)};
                const EventClass c = trace.event_class(view.name(i), view.category(i));
                if (loads[view.name(i)]) loading.add(time);
                if (base == EventClass::op) ops.add(time);
                if (c == EventClass::sync) waits.add(time);
            });
            for (UnionOfRows* all : {&ops, &waits, &loading}) all->end_row();
        }
        ProcessTimes& of = times[lane.process];
        const Intervals in_ops = std::move(ops).take();
        if (!in_ops.empty()) of.working.push_back(subtract(in_ops, std::move(waits).take()));
        add(of.loading, std::move(loading).take());
    }
}

StepBound bound_of(const StepRow& row, Nanos duration, bool has_gpu) {
    if (!has_gpu || duration <= 0) return StepBound::unknown;
    if (10 * row.data_loading > 3 * duration) return StepBound::input;
    if (2 * row.gpu_busy < duration && row.cpu_self > row.gpu_busy) return StepBound::overhead;
    if (10 * row.exposed_communication > 3 * duration) return StepBound::communication;
    return StepBound::device;
}

StepRow row_of(const Steps& steps, uint32_t step, const ProcessTimes& of, bool has_gpu) {
    const TimeRange range = steps.all[step].range;
    StepRow row;
    row.step = step;
    row.gpu_busy = covered_length(of.busy, range);
    for (const Intervals& thread : of.working) row.cpu_self += covered_length(thread, range);
    const Intervals window = {range};
    row.data_loading = total_length(subtract(intersect(of.loading, window), of.busy));
    row.exposed_communication =
        total_length(subtract(intersect(of.communication, window), of.compute));
    row.bound = bound_of(row, range.length(), has_gpu);
    return row;
}

void count_kernels(const TraceContext& context, std::vector<uint64_t>& kernels) {
    const Trace& trace = context.trace();
    const Attribution& attribution = context.attribution();
    StepCursor steps(context.steps());
    for (uint32_t row = 0; row < attribution.launch.size(); ++row) {
        const SliceRef launch = attribution.launch[row];
        if (!launch) continue;
        if (trace.event_class(trace.gpu_activities.slice[row]) == EventClass::memory) continue;
        const uint32_t step = steps.at(trace.lanes[launch.lane].process, trace.start(launch));
        if (step != kNoRow) ++kernels[step];
    }
}

void mark_odd_steps(const Steps& steps, StepTimes& times) {
    std::vector<Nanos> durations;
    for (const StepRow& row : times.rows) durations.push_back(steps.all[row.step].range.length());
    const std::size_t warm_up = warm_up_count(durations);
    std::vector<Nanos> sorted(durations.begin() + static_cast<std::ptrdiff_t>(warm_up),
                              durations.end());
    std::sort(sorted.begin(), sorted.end());
    times.durations = distribution_of(sorted);
    for (std::size_t i = 0; i < times.rows.size(); ++i) {
        const auto d = static_cast<double>(durations[i]);
        StepRow& row = times.rows[i];
        row.warm_up = i < warm_up;
        row.outlier = !row.warm_up && d > times.durations.outlier_limit;
        row.deviation = times.durations.p50 > 0 ? d / times.durations.p50 - 1
                                                : std::numeric_limits<double>::quiet_NaN();
    }
}

constexpr std::array kColumns = {
    ColumnSpec{"name", ValueType::text, Unit::none, "", "Name of the step."},
    ColumnSpec{"index", ValueType::integer, Unit::none, "",
               "N of ProfilerStep#N; of other steps counted from 0."},
    ColumnSpec{"start_ns", ValueType::integer, Unit::nanoseconds, "",
               "Begin on the CPU, from the trace's origin."},
    ColumnSpec{"duration_ns", ValueType::integer, Unit::nanoseconds, "", "Its time on the CPU."},
    ColumnSpec{"gpu_busy_ns", ValueType::integer, Unit::nanoseconds, "no GPU in the trace",
               "Time of the step in which a kernel, copy or set of its process runs."},
    ColumnSpec{"cpu_self_ns", ValueType::integer, Unit::nanoseconds, "",
               "Time in operators, added up over the process's threads, without calls that wait "
               "for the GPU."},
    ColumnSpec{"data_loading_ns", ValueType::integer, Unit::nanoseconds, "",
               "Time in the data loader with the GPU idle."},
    ColumnSpec{"exposed_communication_ns", ValueType::integer, Unit::nanoseconds,
               "no GPU in the trace",
               "Time in which a collective's kernel runs and no other kernel."},
    ColumnSpec{"kernels", ValueType::integer, Unit::count, "no GPU in the trace",
               "Kernels launched in the step."},
    ColumnSpec{"warm_up", ValueType::integer, Unit::none, "",
               "1: a leading step, over p50 + 3 × 1.4826 × median absolute deviation of those "
               "behind it; left out of what the other steps are compared with."},
    ColumnSpec{"outlier", ValueType::integer, Unit::none, "",
               "1: no warm-up, and over that limit."},
    ColumnSpec{"deviation", ValueType::real, Unit::ratio, "steps take no time",
               "How much longer than the median step, as a part of it."},
    ColumnSpec{"bound", ValueType::text, Unit::none, "no GPU in the trace",
               "input, overhead, communication, or device."},
    ColumnSpec{"source", ValueType::text, Unit::none, "",
               "What the steps were found by: profiler, annotation, data loader, optimizer, or "
               "operators (detected)."},
};

}  // namespace

const TableSpec kStepsTable = {"steps", "Steps: how long each took, and what held it up.",
                               kColumns};

std::string_view step_bound_name(StepBound bound) {
    constexpr std::array<std::string_view, 5> names = {"", "input", "overhead", "communication",
                                                       "device"};
    return names[static_cast<std::size_t>(bound)];
}

StepTimes step_times(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const Steps& steps = context.steps();
    StepTimes times;
    if (steps.all.empty()) return times;
    std::vector<ProcessTimes> of_process(trace.processes.size());
    add_gpu_times(context, of_process);
    add_thread_times(trace, of_process);
    std::vector<uint64_t> kernels(steps.all.size(), 0);
    count_kernels(context, kernels);
    const bool has_gpu = !trace.gpu_activities.slice.empty();
    for (uint32_t i = 0; i < steps.all.size(); ++i) {
        if (query.range && !query.range->contains(steps.all[i].range.begin)) continue;
        StepRow& row =
            times.rows.emplace_back(row_of(steps, i, of_process[steps.all[i].process], has_gpu));
        row.kernels = kernels[i];
    }
    mark_odd_steps(steps, times);
    return times;
}

Table steps_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const Steps& steps = context.steps();
    const bool has_gpu = !trace.gpu_activities.slice.empty();
    const auto on_gpu = [&](int64_t value) { return has_gpu ? Cell(value) : Cell(); };
    Table table(kStepsTable);
    for (const StepRow& row : step_times(context, query).rows) {
        const Step& step = steps.all[row.step];
        const std::string_view bound = step_bound_name(row.bound);
        table.add_row({trace.strings[step.name], step.index, step.range.begin - trace.origin,
                       step.range.length(), on_gpu(row.gpu_busy), row.cpu_self, row.data_loading,
                       on_gpu(row.exposed_communication), on_gpu(static_cast<int64_t>(row.kernels)),
                       int64_t{row.warm_up ? 1 : 0}, int64_t{row.outlier ? 1 : 0}, row.deviation,
                       bound.empty() ? Cell() : Cell(bound), step_source_name(steps.source)},
                      {step.slice, step.range});
    }
    return table;
}

}  // namespace lanescope
