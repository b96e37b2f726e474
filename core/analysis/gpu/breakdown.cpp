#include "core/analysis/gpu/breakdown.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/analysis/structure/gpu_work.h"
#include "core/table/cells.h"

namespace lanescope {

namespace {

constexpr std::string_view kNoWork = "no GPU work in the range";

struct Unions {
    Intervals compute;
    Intervals communication;
    Intervals memory;
};

bool begins_before(const GpuWork& a, const GpuWork& b) {
    return a.range.begin < b.range.begin;
}

// `work` is sorted by time.
Unions unions_of(std::span<const GpuWork> work, SetsAre sets, TimeRange span) {
    Unions part;
    for (const GpuWork& w : work) {
        const bool compute =
            w.kind == WorkKind::compute || (w.kind == WorkKind::set && sets == SetsAre::compute);
        append_merged(compute                             ? part.compute
                      : w.kind == WorkKind::communication ? part.communication
                                                          : part.memory,
                      {std::max(w.range.begin, span.begin), std::min(w.range.end, span.end)});
    }
    return part;
}

// How much of `ranges`, clipped to the span, is outside `others`, which lie in the span.
Nanos length_outside(const Intervals& ranges, TimeRange span, const Intervals& others) {
    Nanos length = 0;
    for (const TimeRange range : ranges) {
        const TimeRange cut{std::max(range.begin, span.begin), std::min(range.end, span.end)};
        if (cut.begin < cut.end) length += cut.length() - covered_length(others, cut);
    }
    return length;
}

// The cells that identify the device; all others are unknown.
}  // namespace

struct BreakdownTableRow {
    const Trace& trace;
    const GpuDevice& device;
    const TimeBreakdown& time;
    TimeRange range;

    // Unknown without work.
    std::optional<int64_t> part(Nanos value) const {
        return time.span > 0 ? std::optional(value) : std::nullopt;
    }
};

namespace {

constexpr SharedColumn kDevice{
    ColumnText{"device", Unit::none, kDistinct, "the file does not say", "Ordinal of the GPU."},
    [](const BreakdownTableRow& row) { return known(row.device.device, -1); }};
constexpr SharedColumn kProcess{
    ColumnText{"pid", Unit::none, kDistinct, "", "Id of the device's rows, as the file writes it."},
    [](const BreakdownTableRow& row) {
        return row.trace.strings[row.trace.processes[row.device.process].pid];
    }};

constexpr auto kBreakdownColumns = columns<BreakdownTableRow>({
    kDevice,
    kProcess,
    {{"span_ns", Unit::nanoseconds, kSum, kNoWork,
      "From the first start to the last end of GPU work, cut to the range."},
     [](const BreakdownTableRow& row) { return row.part(row.time.span); }},
    {{"busy_ns", Unit::nanoseconds, kSum, kNoWork,
      "Time in which at least one kernel, copy or set ran: compute_ns + exposed_communication_ns + "
      "exposed_memory_ns."},
     [](const BreakdownTableRow& row) { return row.part(row.time.busy); }},
    {{"idle_ns", Unit::nanoseconds, kSum, kNoWork, "The rest of the span."},
     [](const BreakdownTableRow& row) { return row.part(row.time.idle); }},
    {{"compute_ns", Unit::nanoseconds, kSum, kNoWork,
      "Time in which a kernel other than a collective ran."},
     [](const BreakdownTableRow& row) { return row.part(row.time.compute); }},
    {{"communication_ns", Unit::nanoseconds, kSum, kNoWork,
      "Time in which a collective's kernel ran."},
     [](const BreakdownTableRow& row) { return row.part(row.time.communication); }},
    {{"memory_ns", Unit::nanoseconds, kSum, kNoWork, "Time in which a copy or set ran."},
     [](const BreakdownTableRow& row) { return row.part(row.time.memory); }},
    {{"exposed_communication_ns", Unit::nanoseconds, kSum, kNoWork,
      "The part of communication_ns in which nothing computed."},
     [](const BreakdownTableRow& row) { return row.part(row.time.exposed_communication); }},
    {{"exposed_memory_ns", Unit::nanoseconds, kSum, kNoWork,
      "The part of memory_ns in which nothing computed or communicated."},
     [](const BreakdownTableRow& row) { return row.part(row.time.exposed_memory); }},
    {{"overlap", Unit::ratio, mean_by("communication_ns"), "no communication",
      "Of communication_ns, the part while something computed (HTA's overlap)."},
     [](const BreakdownTableRow& row) {
         return row.time.span > 0 ? row.time.overlap() : std::nullopt;
     }},
    {{"profiler_overhead_ns", Unit::nanoseconds, kSum, kNoWork,
      "Of idle_ns, the part while the profiler itself worked on the CPU."},
     [](const BreakdownTableRow& row) { return row.part(row.time.idle_in_overhead); }},
});

constexpr auto kTraceLensColumns = columns<BreakdownTableRow>({
    kDevice,
    kProcess,
    {{"computation_time_ns", Unit::nanoseconds, kSum, kNoWork,
      "Time in which a kernel other than a collective, or a memory set, ran."},
     [](const BreakdownTableRow& row) { return row.part(row.time.compute); }},
    {{"exposed_comm_time_ns", Unit::nanoseconds, kSum, kNoWork,
      "Time of collectives while nothing computed."},
     [](const BreakdownTableRow& row) { return row.part(row.time.exposed_communication); }},
    {{"exposed_memcpy_time_ns", Unit::nanoseconds, kSum, kNoWork,
      "Time of copies while nothing computed or communicated."},
     [](const BreakdownTableRow& row) { return row.part(row.time.exposed_memory); }},
    {{"busy_time_ns", Unit::nanoseconds, kSum, kNoWork, "The sum of these three times."},
     [](const BreakdownTableRow& row) { return row.part(row.time.busy); }},
    {{"idle_time_ns", Unit::nanoseconds, kSum, kNoWork, "total_time_ns - busy_time_ns."},
     [](const BreakdownTableRow& row) { return row.part(row.time.idle); }},
    {{"total_time_ns", Unit::nanoseconds, kSum, kNoWork,
      "From the first start to the last end of GPU work, cut to the range."},
     [](const BreakdownTableRow& row) { return row.part(row.time.span); }},
    {{"total_comm_time_ns", Unit::nanoseconds, kSum, kNoWork,
      "Time in which a collective's kernel ran."},
     [](const BreakdownTableRow& row) { return row.part(row.time.communication); }},
    {{"total_memcpy_time_ns", Unit::nanoseconds, kSum, kNoWork, "Time in which a copy ran."},
     [](const BreakdownTableRow& row) { return row.part(row.time.memory); }},
});

RowTarget place_of(const BreakdownTableRow& row) {
    return {{}, row.range};
}

Table table_of(const TableOf<BreakdownTableRow>& declaration, const TraceContext& context,
               const TableQuery& query, SetsAre sets, const Intervals& overhead) {
    TableBuilder table(declaration);
    for (const GpuDevice& device : context.get<GpuDevices>().all)
        table.add({context.trace(), device,
                   break_down(device.work, sets, query.device_range(), overhead),
                   query.device_range().value_or(span_of(device.work))});
    return table.take();
}

}  // namespace

const TableOf<BreakdownTableRow> kBreakdownTable = {
    {"breakdown", "Where the time of each GPU goes: computing, communication, memory, idle."},
    kBreakdownColumns,
    place_of};
const TableOf<BreakdownTableRow> kBreakdownByTraceLensTable = {
    {"breakdown", "The same as TraceLens counts it: sets of memory are computing.", "tracelens"},
    kTraceLensColumns,
    place_of};

std::optional<double> TimeBreakdown::overlap() const {
    if (communication == 0) return std::nullopt;
    return static_cast<double>(overlapped_communication) / static_cast<double>(communication);
}

TimeBreakdown break_down(std::span<const GpuWork> work, SetsAre sets,
                         std::optional<TimeRange> range, const Intervals& overhead) {
    TimeRange span = span_of(work);
    if (range) span = {std::max(span.begin, range->begin), std::min(span.end, range->end)};
    TimeBreakdown time;
    if (span.begin >= span.end) return time;
    std::vector<GpuWork> sorted;
    if (!std::ranges::is_sorted(work, begins_before)) {
        sorted.assign(work.begin(), work.end());
        std::ranges::sort(sorted, begins_before);
        work = sorted;
    }
    const Unions part = unions_of(work, sets, span);
    const Intervals communicating = unite(part.compute, part.communication);
    const Intervals busy = unite(communicating, part.memory);
    time.span = span.length();
    time.busy = total_length(busy);
    time.idle = time.span - time.busy;
    time.compute = total_length(part.compute);
    time.communication = total_length(part.communication);
    time.memory = total_length(part.memory);
    const Nanos outside_memory = total_length(communicating);
    time.exposed_communication = outside_memory - time.compute;
    time.exposed_memory = time.busy - outside_memory;
    time.overlapped_communication = time.communication - time.exposed_communication;
    time.idle_in_overhead = length_outside(overhead, span, busy);
    return time;
}

Table breakdown_table(const TraceContext& context, const TableQuery& query) {
    return table_of(kBreakdownTable, context, query, SetsAre::memory,
                    context.get<ProfilerOverhead>().times);
}

Table breakdown_by_tracelens_table(const TraceContext& context, const TableQuery& query) {
    return table_of(kBreakdownByTraceLensTable, context, query, SetsAre::compute, {});
}

}  // namespace lanescope
