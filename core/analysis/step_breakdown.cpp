#include "core/analysis/step_breakdown.h"

#include <algorithm>
#include <utility>

#include "core/analysis/gpu_work.h"
#include "core/analysis/lane_view.h"
#include "core/base/intervals.h"

namespace lanescope {

namespace {

constexpr std::size_t kPartsWithEvents = kStepPartCount - 1;
using Parts = std::array<Intervals, kPartsWithEvents>;

Intervals& of(Parts& parts, StepPart part) {
    return parts[static_cast<std::size_t>(part)];
}

void add(Parts& all, const Parts& more) {
    for (std::size_t i = 0; i < all.size(); ++i)
        if (!more[i].empty()) all[i] = unite(all[i], more[i]);
}

StepPart part_of(WorkKind kind) {
    switch (kind) {
        case WorkKind::compute:
            return StepPart::kernel;
        case WorkKind::communication:
            return StepPart::communication;
        case WorkKind::copy:
            return StepPart::copy;
        case WorkKind::set:
            return StepPart::set;
    }
    return StepPart::kernel;
}

// A device's work is in order of time.
void add_gpu_work(const TraceContext& context, std::vector<Parts>& processes) {
    const Trace& trace = context.trace();
    for (const GpuDevice& device : context.gpu_devices()) {
        std::vector<Parts> of_device(processes.size());
        for (const GpuWork& work : device.work) {
            const SliceRef launch = context.attribution().launch[work.row];
            for (uint32_t p = 0; p < processes.size(); ++p)
                if (!launch || trace.lanes[launch.lane].process == p)
                    append_merged(of(of_device[p], part_of(work.kind)), work.range);
        }
        for (uint32_t p = 0; p < processes.size(); ++p) add(processes[p], of_device[p]);
    }
}

// Slices of one depth follow each other in time.
void add_calls(const Trace& trace, std::vector<Parts>& processes) {
    std::vector<bool> loads(trace.strings.size());
    std::vector<bool> is_step(trace.strings.size());
    for (StringId id = 0; id < trace.strings.size(); ++id) {
        loads[id] = is_data_loading(trace.strings[id]);
        is_step[id] = profiler_step_index(trace.strings[id]) >= 0;
    }
    for (const Lane& lane : trace.lanes) {
        if (lane.kind != LaneKind::thread || trace.processes[lane.process].is_gpu) continue;
        const LaneView view(lane);
        std::array<UnionOfRows, kPartsWithEvents> of_lane;
        for (uint32_t depth = 0; depth < view.depth_count(); ++depth) {
            view.visit_row(depth, [&](uint32_t i) {
                const EventClass base = trace.categories[view.category(i)].event_class;
                const bool call = base == EventClass::op || base == EventClass::annotation;
                if ((!call && base != EventClass::runtime) || is_step[view.name(i)]) return;
                const EventClass c = trace.event_class(view.name(i), view.category(i));
                const StepPart part = base == EventClass::runtime      ? StepPart::runtime
                                      : loads[view.name(i)]            ? StepPart::data_loader
                                      : c == EventClass::communication ? StepPart::communication
                                                                       : StepPart::cpu;
                of_lane[static_cast<std::size_t>(part)].add({view.start(i), view.end(i)});
            });
            for (UnionOfRows& part : of_lane) part.end_row();
        }
        Parts parts;
        std::ranges::transform(of_lane, parts.begin(),
                               [](UnionOfRows& part) { return std::move(part).take(); });
        add(processes[lane.process], parts);
    }
}

// Of each part the time that no part before it has.
Parts exclusive(const Parts& all) {
    Parts parts;
    Intervals taken;
    for (std::size_t i = 0; i < kPartsWithEvents; ++i) {
        parts[i] = subtract(all[i], taken);
        if (i + 1 < kPartsWithEvents) taken = unite(taken, all[i]);
    }
    return parts;
}

// The time on the GPU of what each step launched, by calls that lie whole in it; empty: nothing.
std::vector<TimeRange> device_times(const TraceContext& context, std::vector<TimeRange>& others) {
    const Trace& trace = context.trace();
    const Steps& steps = context.steps();
    StepCursor step_at(steps);
    std::vector<TimeRange> times(steps.all.size(), {INT64_MAX, INT64_MIN});
    for (uint32_t row = 0; row < trace.gpu_activities.slice.size(); ++row) {
        const SliceRef slice = trace.gpu_activities.slice[row];
        const TimeRange range{trace.start(slice), trace.slice_end(slice)};
        const SliceRef launch = context.attribution().launch[row];
        const uint32_t step =
            launch ? step_at.at(trace.lanes[launch.lane].process, trace.start(launch)) : kNoRow;
        if (step == kNoRow || trace.slice_end(launch) > steps.all[step].range.end) {
            others.push_back(range);
            continue;
        }
        times[step] = {std::min(times[step].begin, range.begin),
                       std::max(times[step].end, range.end)};
    }
    return times;
}

// A step begins where the one before it ended, and ends with the last of its work.
std::vector<TimeRange> extended(const TraceContext& context) {
    const Steps& steps = context.steps();
    std::vector<TimeRange> others;  // of work that no step launched
    const std::vector<TimeRange> device = device_times(context, others);
    std::vector<TimeRange> ranges;
    Nanos end = INT64_MIN;
    for (uint32_t i = 0; i < steps.all.size(); ++i) {
        const bool has_work = device[i].begin <= device[i].end;
        if (i == 0 || steps.all[i].process != steps.all[i - 1].process) {
            end = steps.all[i].range.begin;
            for (const TimeRange& other : others)
                if (has_work && other.end < device[i].begin) end = std::max(end, other.end);
        }
        const Nanos begin = std::max(end, steps.all[i].range.begin);
        end = std::max(begin, steps.all[i].range.end);
        if (has_work) end = std::max(end, device[i].end);
        ranges.push_back({begin, end});
    }
    return ranges;
}

constexpr std::array kColumns = {
    ColumnSpec{"name", ValueType::text, Unit::none, "", "Name of the step."},
    ColumnSpec{"index", ValueType::integer, Unit::none, "",
               "N of ProfilerStep#N; of other steps counted from 0."},
    ColumnSpec{"start_ns", ValueType::integer, Unit::nanoseconds, "",
               "From the trace's origin: its begin on the CPU, or the end of the step before, "
               "whichever is later."},
    ColumnSpec{"duration_ns", ValueType::integer, Unit::nanoseconds, "",
               "To its end on the CPU or that of the last GPU work launched in it: the sum of the "
               "columns that follow, each without the time of those before it."},
    ColumnSpec{"kernel_ns", ValueType::integer, Unit::nanoseconds, "",
               "A kernel runs that is no collective's."},
    ColumnSpec{"memcpy_ns", ValueType::integer, Unit::nanoseconds, "", "A copy runs."},
    ColumnSpec{"memset_ns", ValueType::integer, Unit::nanoseconds, "", "A set of memory runs."},
    ColumnSpec{"communication_ns", ValueType::integer, Unit::nanoseconds, "",
               "A collective's kernel, or a call such as nccl:all_reduce, runs."},
    ColumnSpec{"runtime_ns", ValueType::integer, Unit::nanoseconds, "",
               "A thread is in a call of the runtime or driver."},
    ColumnSpec{"data_loader_ns", ValueType::integer, Unit::nanoseconds, "",
               "A thread is in PyTorch's data loader."},
    ColumnSpec{"cpu_ns", ValueType::integer, Unit::nanoseconds, "",
               "A thread is in an operator or annotation."},
    ColumnSpec{"other_ns", ValueType::integer, Unit::nanoseconds, "", "Nothing of these."},
};

}  // namespace

const TableSpec kStepsByBreakdownTable = {
    "steps", "What each step's time goes to, as PyTorch's TensorBoard plugin tells it.", kColumns,
    "breakdown"};

std::vector<StepBreakdown> step_breakdowns(const TraceContext& context, const TableQuery& query) {
    const Steps& steps = context.steps();
    std::vector<StepBreakdown> rows;
    if (steps.all.empty()) return rows;
    std::vector<Parts> parts(context.trace().processes.size());
    add_gpu_work(context, parts);
    add_calls(context.trace(), parts);
    for (Parts& process : parts) process = exclusive(process);
    const std::vector<TimeRange> times = extended(context);
    for (uint32_t i = 0; i < steps.all.size(); ++i) {
        if (query.range && !query.range->contains(steps.all[i].range.begin)) continue;
        StepBreakdown& row = rows.emplace_back();
        row.step = i;
        row.range = times[i];
        Nanos other = row.range.length();
        for (std::size_t p = 0; p < kPartsWithEvents; ++p) {
            row.parts[p] = covered_length(parts[steps.all[i].process][p], row.range);
            other -= row.parts[p];
        }
        row.parts.back() = other;
    }
    return rows;
}

Table steps_by_breakdown_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    Table table(kStepsByBreakdownTable);
    for (const StepBreakdown& row : step_breakdowns(context, query)) {
        const Step& step = context.steps().all[row.step];
        std::vector<Cell> cells = {trace.strings[step.name], step.index,
                                   row.range.begin - trace.origin, row.range.length()};
        for (const Nanos part : row.parts) cells.emplace_back(part);
        table.add_row(cells, {{}, row.range});
    }
    return table;
}

}  // namespace lanescope
