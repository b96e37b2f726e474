#include "core/analysis/gpu/breakdown.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/analysis/structure/gpu_work.h"

namespace lanescope {

namespace {

constexpr std::string_view kNoWork = "no GPU work in the range";

constexpr ColumnSpec kDevice = {"device", ValueType::integer, Unit::none, "the file does not say",
                                "Ordinal of the GPU."};
constexpr ColumnSpec kProcess = {"pid", ValueType::text, Unit::none, "",
                                 "Id of the device's rows, as the file writes it."};

constexpr std::array kColumns = {
    kDevice,
    kProcess,
    ColumnSpec{"span_ns", ValueType::integer, Unit::nanoseconds, kNoWork,
               "From the first start to the last end of GPU work, cut to the range."},
    ColumnSpec{"busy_ns", ValueType::integer, Unit::nanoseconds, kNoWork,
               "Time in which at least one kernel, copy or set ran: compute_ns + "
               "exposed_communication_ns + exposed_memory_ns."},
    ColumnSpec{"idle_ns", ValueType::integer, Unit::nanoseconds, kNoWork, "The rest of the span."},
    ColumnSpec{"compute_ns", ValueType::integer, Unit::nanoseconds, kNoWork,
               "Time in which a kernel other than a collective ran."},
    ColumnSpec{"communication_ns", ValueType::integer, Unit::nanoseconds, kNoWork,
               "Time in which a collective's kernel ran."},
    ColumnSpec{"memory_ns", ValueType::integer, Unit::nanoseconds, kNoWork,
               "Time in which a copy or set ran."},
    ColumnSpec{"exposed_communication_ns", ValueType::integer, Unit::nanoseconds, kNoWork,
               "The part of communication_ns in which nothing computed."},
    ColumnSpec{"exposed_memory_ns", ValueType::integer, Unit::nanoseconds, kNoWork,
               "The part of memory_ns in which nothing computed or communicated."},
    ColumnSpec{"overlap", ValueType::real, Unit::ratio, "no communication",
               "Of communication_ns, the part while something computed (HTA's overlap)."},
    ColumnSpec{"profiler_overhead_ns", ValueType::integer, Unit::nanoseconds, kNoWork,
               "Of idle_ns, the part while the profiler itself worked on the CPU."},
};

constexpr std::array kTraceLensColumns = {
    kDevice,
    kProcess,
    ColumnSpec{"computation_time_ns", ValueType::integer, Unit::nanoseconds, kNoWork,
               "Time in which a kernel other than a collective, or a memory set, ran."},
    ColumnSpec{"exposed_comm_time_ns", ValueType::integer, Unit::nanoseconds, kNoWork,
               "Time of collectives while nothing computed."},
    ColumnSpec{"exposed_memcpy_time_ns", ValueType::integer, Unit::nanoseconds, kNoWork,
               "Time of copies while nothing computed or communicated."},
    ColumnSpec{"busy_time_ns", ValueType::integer, Unit::nanoseconds, kNoWork,
               "The three together."},
    ColumnSpec{"idle_time_ns", ValueType::integer, Unit::nanoseconds, kNoWork,
               "total_time_ns - busy_time_ns."},
    ColumnSpec{"total_time_ns", ValueType::integer, Unit::nanoseconds, kNoWork,
               "From the first start to the last end of GPU work, cut to the range."},
    ColumnSpec{"total_comm_time_ns", ValueType::integer, Unit::nanoseconds, kNoWork,
               "Time in which a collective's kernel ran."},
    ColumnSpec{"total_memcpy_time_ns", ValueType::integer, Unit::nanoseconds, kNoWork,
               "Time in which a copy ran."},
};

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
std::vector<Cell> row_of(const Trace& trace, const GpuDevice& device, std::size_t columns) {
    std::vector<Cell> cells(columns);
    if (device.device >= 0) cells[0] = int64_t{device.device};
    cells[1] = trace.strings[trace.processes[device.process].pid];
    return cells;
}

}  // namespace

const TableSpec kBreakdownTable = {
    "breakdown", "Where the time of each GPU goes: computing, communication, memory, idle.",
    kColumns};
const TableSpec kBreakdownByTraceLensTable = {
    "breakdown", "The same as TraceLens counts it: sets of memory are computing.",
    kTraceLensColumns, "tracelens"};

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
    const Trace& trace = context.trace();
    const Intervals& overhead = context.get<ProfilerOverhead>().times;
    Table table(kBreakdownTable);
    for (const GpuDevice& device : context.get<GpuDevices>().all) {
        const TimeBreakdown time = break_down(device.work, SetsAre::memory, query.range, overhead);
        std::vector<Cell> cells = row_of(trace, device, kColumns.size());
        if (time.span > 0) {
            const std::optional<double> overlap = time.overlap();
            const Cell values[] = {time.span,
                                   time.busy,
                                   time.idle,
                                   time.compute,
                                   time.communication,
                                   time.memory,
                                   time.exposed_communication,
                                   time.exposed_memory,
                                   overlap ? Cell(*overlap) : Cell(),
                                   time.idle_in_overhead};
            std::copy(std::begin(values), std::end(values), cells.begin() + 2);
        }
        table.add_row(cells, {{}, query.range.value_or(span_of(device.work))});
    }
    return table;
}

Table breakdown_by_tracelens_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    Table table(kBreakdownByTraceLensTable);
    for (const GpuDevice& device : context.get<GpuDevices>().all) {
        const TimeBreakdown time = break_down(device.work, SetsAre::compute, query.range);
        std::vector<Cell> cells = row_of(trace, device, kTraceLensColumns.size());
        if (time.span > 0) {
            const Cell values[] = {
                time.compute, time.exposed_communication, time.exposed_memory, time.busy, time.idle,
                time.span,    time.communication,         time.memory};
            std::copy(std::begin(values), std::end(values), cells.begin() + 2);
        }
        table.add_row(cells, {{}, query.range.value_or(span_of(device.work))});
    }
    return table;
}

}  // namespace lanescope
