#include "core/analysis/gpu/step_breakdown.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/gpu_work.h"
#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/process_cell.h"
#include "core/analysis/structure/steps.h"
#include "core/base/intervals.h"

namespace lanescope {

namespace {

constexpr std::size_t kPartsWithEvents = kStepPartCount - 1;
using Parts = std::array<Intervals, kPartsWithEvents>;

Intervals& part_of(Parts& parts, StepPart part) {
    return parts[static_cast<std::size_t>(part)];
}

void add_gpu_work(const TraceContext& context, const std::vector<bool>& has_steps,
                  std::vector<Parts>& processes) {
    std::vector<WorkTimes> work = work_times(context.trace(), context.get<GpuDevices>().all,
                                             context.get<Attribution>().launch, has_steps);
    for (std::size_t p = 0; p < processes.size(); ++p) {
        const auto take = [&](WorkKind kind, StepPart part) {
            part_of(processes[p], part) = std::move(work[p][static_cast<std::size_t>(kind)]);
        };
        take(WorkKind::compute, StepPart::kernel);
        take(WorkKind::communication, StepPart::communication);
        take(WorkKind::copy, StepPart::copy);
        take(WorkKind::set, StepPart::set);
    }
}

// By name, the step part of operators and annotations; `other` for steps.
std::vector<StepPart> parts_of_calls(const Trace& trace) {
    std::vector<StepPart> parts(trace.strings.size(), StepPart::cpu);
    for (StringId id = 0; id < trace.name_traits.size(); ++id)
        if (refine_class(EventClass::op, trace.name_traits[id]) == EventClass::communication)
            parts[id] = StepPart::communication;
    for (StringId id = 0; id < parts.size(); ++id) {
        if (is_data_loading(trace.strings[id])) parts[id] = StepPart::data_loader;
        if (profiler_step_index(trace.strings[id]) >= 0) parts[id] = StepPart::other;
    }
    return parts;
}

// Slices of one depth follow each other in time.
void add_calls(const Trace& trace, const std::vector<bool>& has_steps,
               std::vector<Parts>& processes) {
    const std::vector<StepPart> of_name = parts_of_calls(trace);
    for (const Lane& lane : trace.lanes) {
        if (lane.kind != LaneKind::thread || trace.processes[lane.process].is_gpu ||
            !has_steps[lane.process])
            continue;
        const LaneView view(lane);
        std::array<UnionOfRows, kPartsWithEvents> of_lane;
        for (uint32_t depth = 0; depth < view.depth_count(); ++depth) {
            view.visit_row_of_chunks(depth, [&](const Chunk& chunk, uint32_t i) {
                const EventClass base = trace.categories[chunk.category[i]].event_class;
                const bool call = base == EventClass::op || base == EventClass::annotation;
                if (!call && base != EventClass::runtime) return;
                const StepPart part = of_name[chunk.name[i]];
                if (part == StepPart::other) return;
                of_lane[static_cast<std::size_t>(call ? part : StepPart::runtime)].add(
                    {chunk.start[i], chunk.end(i)});
            });
            for (UnionOfRows& part : of_lane) part.end_row();
        }
        for (std::size_t part = 0; part < kPartsWithEvents; ++part)
            add(processes[lane.process][part], std::move(of_lane[part]).take());
    }
}

// Gives each part the time in which it runs and no earlier part does; the last part gets the rest.
void share_out(const Parts& parts, std::span<StepBreakdown> rows) {
    Intervals taken;
    std::vector<Nanos> before(rows.size(), 0);
    for (std::size_t part = 0; part < kPartsWithEvents; ++part) {
        if (parts[part].empty()) continue;
        taken = unite(taken, parts[part]);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const Nanos now = covered_length(taken, rows[i].range);
            rows[i].parts[part] = now - std::exchange(before[i], now);
        }
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i].parts.back() = rows[i].range.length() - before[i];
}

// The GPU time of what each step launched, by calls completely inside the step; empty: nothing.
std::vector<TimeRange> device_times(const TraceContext& context, std::vector<TimeRange>& others) {
    const Trace& trace = context.trace();
    const std::vector<SliceRef>& launch_of = context.get<Attribution>().launch;
    const Steps& steps = context.get<Steps>();
    StepCursor step_at(steps);
    std::vector<TimeRange> times(steps.all.size(), {INT64_MAX, INT64_MIN});
    for (uint32_t row = 0; row < trace.gpu_activities.slice.size(); ++row) {
        const SliceRef slice = trace.gpu_activities.slice[row];
        const TimeRange range{trace.start(slice), trace.slice_end(slice)};
        const SliceRef launch = launch_of[row];
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

// A step begins where the previous step ended, and ends with its last work.
std::vector<TimeRange> extended(const TraceContext& context) {
    const Steps& steps = context.get<Steps>();
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

}  // namespace

struct StepBreakdownTableRow {
    const Trace& trace;
    const Step& step;
    const StepBreakdown& breakdown;

    uint32_t process_row() const { return step.process; }
    Nanos part(StepPart part) const { return breakdown.parts[static_cast<std::size_t>(part)]; }
};

namespace {

constexpr auto kStepBreakdownColumns = columns<StepBreakdownTableRow>({
    {{"name", Unit::none, kDistinct, "", "Name of the step."},
     [](const StepBreakdownTableRow& row) { return row.trace.strings[row.step.name]; }},
    {{"index", Unit::none, kDistinct, "", "N of ProfilerStep#N; of other steps counted from 0."},
     [](const StepBreakdownTableRow& row) { return row.step.index; }},
    {{"start_ns", Unit::nanoseconds, kMin, "",
      "From the trace's origin: its begin on the CPU, or the end of the step before, whichever is "
      "later."},
     [](const StepBreakdownTableRow& row) { return row.breakdown.range.begin - row.trace.origin; }},
    {{"duration_ns", Unit::nanoseconds, kSum, "",
      "To its end on the CPU or to the end of its last GPU work, if later: the sum of the columns "
      "that follow, each without the time of those before it."},
     [](const StepBreakdownTableRow& row) { return row.breakdown.range.length(); }},
    {{"kernel_ns", Unit::nanoseconds, kSum, "", "A kernel other than a collective runs."},
     [](const StepBreakdownTableRow& row) { return row.part(StepPart::kernel); }},
    {{"memcpy_ns", Unit::nanoseconds, kSum, "", "A copy runs."},
     [](const StepBreakdownTableRow& row) { return row.part(StepPart::copy); }},
    {{"memset_ns", Unit::nanoseconds, kSum, "", "A set of memory runs."},
     [](const StepBreakdownTableRow& row) { return row.part(StepPart::set); }},
    {{"communication_ns", Unit::nanoseconds, kSum, "",
      "A collective's kernel, or a call such as nccl:all_reduce, runs."},
     [](const StepBreakdownTableRow& row) { return row.part(StepPart::communication); }},
    {{"runtime_ns", Unit::nanoseconds, kSum, "", "A thread is in a call of the runtime or driver."},
     [](const StepBreakdownTableRow& row) { return row.part(StepPart::runtime); }},
    {{"data_loader_ns", Unit::nanoseconds, kSum, "", "A thread is in PyTorch's data loader."},
     [](const StepBreakdownTableRow& row) { return row.part(StepPart::data_loader); }},
    {{"cpu_ns", Unit::nanoseconds, kSum, "", "A thread is in an operator or annotation."},
     [](const StepBreakdownTableRow& row) { return row.part(StepPart::cpu); }},
    {{"other_ns", Unit::nanoseconds, kSum, "", "None of these."},
     [](const StepBreakdownTableRow& row) { return row.part(StepPart::other); }},
    kProcessColumn,
});

}  // namespace

const TableOf<StepBreakdownTableRow> kStepsByBreakdownTable = {
    {"steps", "The parts of each step's time, as in PyTorch's TensorBoard plugin.", "breakdown"},
    kStepBreakdownColumns,
    [](const StepBreakdownTableRow& row) {
        return RowTarget{{}, row.breakdown.range};
    }};

std::vector<StepBreakdown> step_breakdowns(const TraceContext& context, const TableQuery& query) {
    const Steps& steps = context.get<Steps>();
    std::vector<StepBreakdown> rows;
    if (steps.all.empty()) return rows;
    std::vector<bool> has_steps(context.trace().processes.size());
    for (const Step& step : steps.all) has_steps[step.process] = true;
    std::vector<Parts> parts(has_steps.size());
    add_gpu_work(context, has_steps, parts);
    add_calls(context.trace(), has_steps, parts);
    const std::vector<TimeRange> times = extended(context);
    for (uint32_t i = 0; i < steps.all.size(); ++i)
        if (!query.range || query.range->contains(steps.all[i].range.begin))
            rows.push_back({i, times[i], {}});
    const auto process_of = [&](const StepBreakdown& row) { return steps.all[row.step].process; };
    for (auto first = rows.begin(); first != rows.end();) {
        const uint32_t process = process_of(*first);
        const auto last = std::find_if(first, rows.end(), [&](const StepBreakdown& row) {
            return process_of(row) != process;
        });
        share_out(parts[process], {first, last});
        first = last;
    }
    return rows;
}

Table steps_by_breakdown_table(const TraceContext& context, const TableQuery& query) {
    const Steps& steps = context.get<Steps>();
    TableBuilder table(kStepsByBreakdownTable);
    for (const StepBreakdown& row : step_breakdowns(context, query))
        table.add({context.trace(), steps.all[row.step], row});
    return table.take();
}

}  // namespace lanescope
