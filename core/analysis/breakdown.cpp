#include "core/analysis/breakdown.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

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
               "Time in which a kernel that is no collective ran."},
    ColumnSpec{"communication_ns", ValueType::integer, Unit::nanoseconds, kNoWork,
               "Time in which a collective's kernel ran."},
    ColumnSpec{"memory_ns", ValueType::integer, Unit::nanoseconds, kNoWork,
               "Time in which a copy or set ran."},
    ColumnSpec{"exposed_communication_ns", ValueType::integer, Unit::nanoseconds, kNoWork,
               "Of communication_ns, while nothing computed."},
    ColumnSpec{"exposed_memory_ns", ValueType::integer, Unit::nanoseconds, kNoWork,
               "Of memory_ns, while nothing computed or communicated."},
    ColumnSpec{"overlap", ValueType::real, Unit::ratio, "no communication",
               "Of communication_ns, the part while something computed (HTA's overlap)."},
    ColumnSpec{"profiler_overhead_ns", ValueType::integer, Unit::nanoseconds, kNoWork,
               "Of idle_ns, the part while the profiler itself worked on the CPU."},
};

constexpr std::array kTraceLensColumns = {
    kDevice,
    kProcess,
    ColumnSpec{"computation_time_ns", ValueType::integer, Unit::nanoseconds, kNoWork,
               "Time in which a kernel that is no collective, or a set of memory, ran."},
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

Unions unions_of(std::span<const GpuWork> work, SetsAre sets, TimeRange span) {
    std::array<std::vector<TimeRange>, 3> ranges;
    for (const GpuWork& w : work) {
        const TimeRange cut{std::max(w.range.begin, span.begin), std::min(w.range.end, span.end)};
        if (cut.begin >= cut.end) continue;
        const bool compute =
            w.kind == WorkKind::compute || (w.kind == WorkKind::set && sets == SetsAre::compute);
        ranges[compute ? 0 : w.kind == WorkKind::communication ? 1 : 2].push_back(cut);
    }
    return {merged(std::move(ranges[0])), merged(std::move(ranges[1])),
            merged(std::move(ranges[2]))};
}

// The cells that name the device; the others unknown.
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
    const Unions part = unions_of(work, sets, span);
    const Intervals exposed = subtract(part.communication, part.compute);
    const Intervals communicating = unite(part.compute, part.communication);
    const Intervals busy = unite(communicating, part.memory);
    time.span = span.length();
    time.busy = total_length(busy);
    time.idle = time.span - time.busy;
    time.compute = total_length(part.compute);
    time.communication = total_length(part.communication);
    time.memory = total_length(part.memory);
    time.exposed_communication = total_length(exposed);
    time.exposed_memory = total_length(subtract(part.memory, communicating));
    time.overlapped_communication = total_length(intersect(part.communication, part.compute));
    time.idle_in_overhead = total_length(intersect(subtract({span}, busy), overhead));
    return time;
}

Table breakdown_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const Intervals& overhead = context.profiler_overhead();
    Table table(kBreakdownTable);
    for (const GpuDevice& device : context.gpu_devices()) {
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
    for (const GpuDevice& device : context.gpu_devices()) {
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
