#include "core/analysis/statistics/step_times.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/gpu_work.h"
#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/steps.h"
#include "core/base/intervals.h"
#include "core/table/cells.h"

namespace lanescope {

namespace {

// Sets of time for one process.
struct ProcessTimes {
    Intervals busy;                  // kernels, copies, sets
    Intervals exposed;               // kernels of collectives, and no other kernels
    Intervals loading;               // and nothing of `busy`
    std::vector<Intervals> working;  // by thread: in operators, without waiting calls
};

// For processes that have steps.
void add_gpu_times(const TraceContext& context, std::vector<ProcessTimes>& times) {
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
enum SliceTrait : uint8_t { kCounts = 1, kOp = 2, kRuntime = 4, kWaits = 8, kLoads = 16 };

std::vector<uint8_t> traits_of_categories(const Trace& trace) {
    std::vector<uint8_t> traits;
    for (const Category& category : trace.categories) {
        const EventClass c = category.event_class;
        const bool counts = c != EventClass::python && c != EventClass::other;
        traits.push_back(static_cast<uint8_t>(
            (counts ? kCounts : 0) | (c == EventClass::op ? kOp : 0) |
            (c == EventClass::runtime ? kRuntime : 0) | (c == EventClass::sync ? kWaits : 0)));
    }
    return traits;
}

std::vector<uint8_t> traits_of_names(const Trace& trace) {
    std::vector<uint8_t> traits(trace.strings.size(), 0);
    for (StringId id = 0; id < traits.size(); ++id)
        if (is_data_loading(trace.strings[id])) traits[id] = kLoads;
    for (StringId id = 0; id < trace.name_traits.size(); ++id)
        if ((trace.name_traits[id] & kSyncCall) != 0) traits[id] |= kWaits;
    return traits;
}

// Slices of one depth follow each other in time.
void add_thread_times(const Trace& trace, std::vector<ProcessTimes>& times) {
    const std::vector<uint8_t> of_category = traits_of_categories(trace);
    const std::vector<uint8_t> of_name = traits_of_names(trace);
    for (const Lane& lane : trace.lanes) {
        if (lane.kind != LaneKind::thread || trace.processes[lane.process].is_gpu) continue;
        const LaneView view(lane);
        UnionOfRows ops;
        UnionOfRows waits;
        UnionOfRows loading;
        for (uint32_t depth = 0; depth < view.depth_count(); ++depth) {
            view.visit_row_of_chunks(depth, [&](const Chunk& chunk, uint32_t i) {
                const uint8_t category = of_category[chunk.category[i]];
                if ((category & kCounts) == 0) return;
                const uint8_t name = of_name[chunk.name[i]];
                const TimeRange time{chunk.start[i], chunk.end(i)};
                if ((name & kLoads) != 0) loading.add(time);
                if ((category & kOp) != 0) ops.add(time);
                if ((category & kWaits) != 0 ||
                    ((category & kRuntime) != 0 && (name & kWaits) != 0))
                    waits.add(time);
            });
            for (UnionOfRows* all : {&ops, &waits, &loading}) all->end_row();
        }
        ProcessTimes& process_times = times[lane.process];
        const Intervals in_ops = std::move(ops).take();
        if (!in_ops.empty())
            process_times.working.push_back(subtract(in_ops, std::move(waits).take()));
        add(process_times.loading, std::move(loading).take());
    }
    for (ProcessTimes& process_times : times)
        process_times.loading = subtract(process_times.loading, process_times.busy);
}

StepBound bound_of(const StepRow& row, Nanos duration, bool has_gpu) {
    if (!has_gpu || duration <= 0) return StepBound::unknown;
    if (10 * row.data_loading > 3 * duration) return StepBound::input;
    if (2 * row.gpu_busy < duration && row.cpu_self > row.gpu_busy) return StepBound::overhead;
    if (10 * row.exposed_communication > 3 * duration) return StepBound::communication;
    return StepBound::device;
}

StepRow row_of(const Steps& steps, uint32_t step, const ProcessTimes& process_times, bool has_gpu) {
    const TimeRange range = steps.all[step].range;
    StepRow row;
    row.step = step;
    row.gpu_busy = covered_length(process_times.busy, range);
    for (const Intervals& thread : process_times.working)
        row.cpu_self += covered_length(thread, range);
    row.data_loading = covered_length(process_times.loading, range);
    row.exposed_communication = covered_length(process_times.exposed, range);
    row.bound = bound_of(row, range.length(), has_gpu);
    return row;
}

void count_kernels(const TraceContext& context, std::vector<uint64_t>& kernels) {
    const Trace& trace = context.trace();
    const Attribution& attribution = context.get<Attribution>();
    StepCursor steps(context.get<Steps>());
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

}  // namespace

struct StepTableRow {
    const Trace& trace;
    const Steps& steps;
    const StepRow& times;
    const Step& step = steps.all[times.step];
    bool has_gpu = !trace.gpu_activities.slice.empty();

    std::optional<int64_t> on_gpu(int64_t value) const {
        return has_gpu ? std::optional(value) : std::nullopt;
    }
};

namespace {

constexpr std::string_view kNoGpu = "no GPU in the trace";

constexpr auto kStepColumns = columns<StepTableRow>({
    {{"name", Unit::none, kDistinct, "", "Name of the step."},
     [](const StepTableRow& row) { return row.trace.strings[row.step.name]; }},
    {{"index", Unit::none, kDistinct, "", "N of ProfilerStep#N; of other steps counted from 0."},
     [](const StepTableRow& row) { return row.step.index; }},
    {{"start_ns", Unit::nanoseconds, kMin, "", "Begin on the CPU, from the trace's origin."},
     [](const StepTableRow& row) { return row.step.range.begin - row.trace.origin; }},
    {{"duration_ns", Unit::nanoseconds, kSum, "", "Its time on the CPU."},
     [](const StepTableRow& row) { return row.step.range.length(); }},
    {{"gpu_busy_ns", Unit::nanoseconds, kSum, kNoGpu,
      "Time of the step in which a kernel, copy or set of its process runs."},
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
    {{"bound", Unit::none, kDistinct, kNoGpu, "input, overhead, communication, or device."},
     [](const StepTableRow& row) { return known_text(step_bound_name(row.times.bound)); }},
    {{"source", Unit::none, kDistinct, "",
      "How the steps were found: profiler, annotation, data loader, optimizer, or operators "
      "(detected)."},
     [](const StepTableRow& row) { return step_source_name(row.steps.source); }},
});

}  // namespace

const TableOf<StepTableRow> kStepsTable = {
    {"steps", "Steps: how long each took, and what limited it."},
    kStepColumns,
    [](const StepTableRow& row) {
        return RowTarget{row.step.slice, row.step.range};
    }};

std::string_view step_bound_name(StepBound bound) {
    constexpr std::array<std::string_view, 5> names = {"", "input", "overhead", "communication",
                                                       "device"};
    return names[static_cast<std::size_t>(bound)];
}

StepTimes step_times(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const Steps& steps = context.get<Steps>();
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
    const Steps& steps = context.get<Steps>();
    TableBuilder table(kStepsTable);
    const StepTimes times = step_times(context, query);
    for (const StepRow& row : times.rows) table.add({context.trace(), steps, row});
    return table.take();
}

}  // namespace lanescope
