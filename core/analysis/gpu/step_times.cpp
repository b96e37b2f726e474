#include "core/analysis/gpu/step_times.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "core/analysis/gpu/gaps.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/gpu_work.h"
#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/steps.h"
#include "core/base/intervals.h"
#include "core/table/cells.h"

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
    std::vector<TimeRange> times;  // of all work; only of steps that end with it
};

std::vector<StepLaunches> work_of_steps(const TraceContext& context) {
    const Trace& trace = context.trace();
    const Steps& steps = context.get<Steps>();
    const Attribution& attribution = context.get<Attribution>();
    std::vector<StepLaunches> work(steps.all.size());
    StepCursor cursor(steps);
    for (uint32_t row = 0; row < attribution.launch.size(); ++row) {
        const SliceRef launch = attribution.launch[row];
        if (!launch) continue;
        const uint32_t step = cursor.at(trace.lanes[launch.lane].process, trace.start(launch));
        if (step == kNoRow) continue;
        const SliceRef activity = trace.gpu_activities.slice[row];
        if (trace.event_class(activity) != EventClass::memory) ++work[step].kernels;
        if (steps.all[step].by_work)
            work[step].times.push_back({trace.start(activity), trace.slice_end(activity)});
    }
    return work;
}

StepRow row_of(const Steps& steps, uint32_t step, const StepProcess& process_times,
               StepLaunches work) {
    const TimeRange range = steps.all[step].range;
    StepRow row;
    row.step = step;
    row.kernels = work.kernels;
    for (const Intervals& thread : process_times.working)
        row.cpu_self += covered_length(thread, range);
    row.data_loading = covered_length(process_times.loading, range);
    if (steps.all[step].by_work) {
        const Intervals launched = merged(std::move(work.times));
        row.gpu_busy = total_length(launched);
        row.exposed_communication = total_length(intersect(process_times.exposed, launched));
    } else {
        row.gpu_busy = covered_length(process_times.busy, range);
        row.exposed_communication = covered_length(process_times.exposed, range);
    }
    row.overhead = covered_length(process_times.overhead, range);
    if (!process_times.busy.empty()) row.bound = step_bound(row.bound_times(range.length()));
    return row;
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

}  // namespace

struct StepTableRow {
    const Trace& trace;
    const Steps& steps;
    const StepRow& times;
    const Step& step = steps.all[times.step];
    bool has_gpu = !trace.gpu_activities.slice.empty();
    std::string parts = times.bound == StepBound::mixed
                            ? largest_parts_text(times.bound_times(step.range.length()))
                            : std::string();

    std::optional<int64_t> on_gpu(int64_t value) const {
        return has_gpu ? std::optional(value) : std::nullopt;
    }
};

namespace {

constexpr std::string_view kNoGpu = "no GPU in the trace";
constexpr std::string_view kNoWorkOfProcess = "its process has no GPU work in the trace";

constexpr auto kStepColumns = columns<StepTableRow>({
    {{"name", Unit::none, kDistinct, "", "Name of the step."},
     [](const StepTableRow& row) { return row.trace.strings[row.step.name]; }},
    {shown_first({"index", Unit::none, kDistinct, "",
                  "N of ProfilerStep#N; of other steps counted from 0."}),
     [](const StepTableRow& row) { return row.step.index; }},
    {shown_first(
         {"start_ns", Unit::nanoseconds, kMin, "", "Begin on the CPU, from the trace's origin."}),
     [](const StepTableRow& row) { return row.step.range.begin - row.trace.origin; }},
    {shown_first({"duration_ns", Unit::nanoseconds, kSum, "",
                  "Length of the annotation or period that is the step: see definition."}),
     [](const StepTableRow& row) { return row.step.range.length(); }},
    {shown_first({"gpu_busy_ns", Unit::nanoseconds, kSum, kNoGpu,
                  "Time of the step in which a kernel, copy or set of its process runs; if its "
                  "annotation only "
                  "times the dispatch, the time of the work launched in it, whenever that runs."}),
     [](const StepTableRow& row) { return row.on_gpu(row.times.gpu_busy); }},
    {{"cpu_self_ns", Unit::nanoseconds, kSum, "",
      "Time in operators, added up over the process's threads, without calls that wait for the "
      "GPU."},
     [](const StepTableRow& row) { return row.times.cpu_self; }},
    {{"data_loading_ns", Unit::nanoseconds, kSum, "", "Time in the data loader with the GPU idle."},
     [](const StepTableRow& row) { return row.times.data_loading; }},
    {{"exposed_communication_ns", Unit::nanoseconds, kSum, kNoGpu,
      "Time in which a collective's kernel runs and no other kernel."},
     [](const StepTableRow& row) { return row.on_gpu(row.times.exposed_communication); }},
    {{"kernels", Unit::count, kSum, kNoGpu, "Kernels launched in the step."},
     [](const StepTableRow& row) { return row.on_gpu(static_cast<int64_t>(row.times.kernels)); }},
    {{"warm_up", Unit::none, kMax, "",
      "1: a leading step above p50 + 3 × 1.4826 × median absolute deviation of the steps after it; "
      "excluded from comparisons."},
     [](const StepTableRow& row) { return row.times.warm_up; }},
    {{"outlier", Unit::none, kMax, "", "1: not warm-up, and above that limit."},
     [](const StepTableRow& row) { return row.times.outlier; }},
    {{"deviation", Unit::ratio, kNoAggregate, "steps take no time",
      "Difference to the median step, as a fraction of the median."},
     [](const StepTableRow& row) { return row.times.deviation; }},
    {shown_first(
         {"bound", Unit::none, kDistinct, kNoWorkOfProcess,
          "The first that holds: input (data_loading_ns is at least 30 % of the step), "
          "communication "
          "(exposed, 30 %), overhead (15 %), device (GPU busy for 70 %), otherwise mixed."}),
     [](const StepTableRow& row) { return known_text(step_bound_name(row.times.bound)); }},
    {{"overhead_ns", Unit::nanoseconds, kSum, kNoGpu,
      "Idle time because of the host, without data_loading_ns: gaps with the cause host, launch "
      "latency or synchronisation, or copy if the memory is pageable; and the time before the "
      "first launch and after the last activity of the trace."},
     [](const StepTableRow& row) { return row.on_gpu(row.times.overhead); }},
    {{"largest_parts", Unit::none, kDistinct, "the bound is not mixed",
      "The two largest of GPU work, communication (exposed), data loading, overhead and other "
      "idle time."},
     [](const StepTableRow& row) { return known_text(row.parts); }},
    {{"source", Unit::none, kDistinct, "",
      "How the steps were found: profiler, annotation, data loader, optimizer, or operators "
      "(detected)."},
     [](const StepTableRow& row) { return step_source_name(row.steps.source); }},
    {{"annotation_ns", Unit::nanoseconds, kSum, "no annotation surrounds the step",
      "Length of its annotation."},
     [](const StepTableRow& row) {
         return row.step.mark ? std::optional(row.trace.duration(row.step.mark)) : std::nullopt;
     }},
    {{"definition", Unit::none, kDistinct, "",
      "annotation: the step is its annotation; period: it lasts from one mark to the next or, if "
      "its "
      "annotation only times the dispatch of GPU work, to the end of that work."},
     [](const StepTableRow& row) { return row.step.definition(); }},
});

}  // namespace

const TableOf<StepTableRow> kStepsTable = {
    {"steps", "Steps: how long each took, and what limited it."},
    kStepColumns,
    [](const StepTableRow& row) {
        return RowTarget{row.step.slice, row.step.range};
    }};

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
            row_of(steps, i, of_process[steps.all[i].process], std::move(work[i])));
    }
    mark_odd_steps(steps, times);
    return times;
}

Table steps_table(const TraceContext& context, const TableQuery& query) {
    const Steps& steps = context.get<Steps>();
    TableBuilder table(kStepsTable);
    const StepTimes times = step_times(context, query);
    for (const StepRow& row : times.rows) table.add({context.trace(), steps, row});
    return table.take();
}

}  // namespace lanescope
