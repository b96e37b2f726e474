// The table of core/analysis/collectives.h.
#include <array>

#include "core/analysis/collectives.h"

namespace lanescope {

namespace {

using enum ValueType;

constexpr std::array kColumns = {
    ColumnSpec{"name", text, Unit::none, "", "Name of the kernel."},
    ColumnSpec{"type", text, Unit::none, "no name tells",
               "all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, reduce, gather, "
               "scatter, send_receive, or barrier."},
    ColumnSpec{"process_group", text, Unit::none, "not recorded", "Name of the process group."},
    ColumnSpec{"group_ranks", text, Unit::none, "not recorded", "Its ranks, as the file has them."},
    ColumnSpec{"group_size", integer, Unit::count, "not recorded", "How many they are."},
    ColumnSpec{"dtype", text, Unit::none, "not recorded", "Type of an element."},
    ColumnSpec{"in_elements", integer, Unit::count, "not recorded", "Elements of the input."},
    ColumnSpec{"out_elements", integer, Unit::count, "not recorded", "Elements of the output."},
    ColumnSpec{"size_bytes", integer, Unit::bytes, "not recorded",
               "Size of the message: of the input, of an all-gather the output."},
    ColumnSpec{"algorithm_gb_per_s", real, Unit::none, "the size is not known",
               "Size by duration, in 10⁹ bytes a second. The duration holds waiting for other "
               "ranks, so this is at least."},
    ColumnSpec{"bus_gb_per_s", real, Unit::none, "the size or the group is not known",
               "That times 2(n-1)/n for an all-reduce, (n-1)/n for all-gather, reduce-scatter and "
               "all-to-all, and 1 for others."},
    ColumnSpec{"device", integer, Unit::none, "not recorded", "Ordinal of the GPU."},
    ColumnSpec{"stream", integer, Unit::none, "not recorded", "Id of the stream."},
    ColumnSpec{"start_ns", integer, Unit::nanoseconds, "", "Begin, from the trace's origin."},
    ColumnSpec{"duration_ns", integer, Unit::nanoseconds, "", "How long the kernel ran."},
    ColumnSpec{"exposed_ns", integer, Unit::nanoseconds, "",
               "Part of it in which no computing kernel ran on the device."},
    ColumnSpec{"exposed_share", real, Unit::ratio, "it took no time",
               "That as a part of the duration."},
    ColumnSpec{"step", integer, Unit::none, "not launched in a step, or the launch is not known",
               "Index of the step in which it was launched."},
};

Cell text_of(const Trace& trace, const Column<StringId>& column, uint32_t row) {
    if (row == kNoRow || column.empty() || trace.strings[column[row]].empty()) return {};
    return trace.strings[column[row]];
}

template <typename T>
Cell number_of(const Column<T>& column, uint32_t row, T unknown) {
    if (row == kNoRow || column.empty() || column[row] == unknown) return {};
    return int64_t{column[row]};
}

Cell step_of(const TraceContext& context, SliceRef launch) {
    if (!launch) return {};
    const Trace& trace = context.trace();
    const uint32_t step = context.steps().at(trace.lanes[launch.lane].process, trace.start(launch));
    return step == kNoRow ? Cell() : Cell(context.steps().all[step].index);
}

}  // namespace

const TableSpec kCollectivesTable = {
    "collectives", "Collectives' kernels: size, bandwidth, and what no computing hides.", kColumns};

Table collectives_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const Collectives& c = trace.collectives;
    const GpuActivities& gpu = trace.gpu_activities;
    Table table(kCollectivesTable);
    for (const CollectiveRow& row : collective_rows(context, query)) {
        const SliceRef kernel = gpu.slice[row.activity];
        const Nanos duration = trace.duration(kernel);
        const Cell group_size = number_of(c.group_size, row.keys, kNoValue);
        const int64_t* const size = std::get_if<int64_t>(&group_size);
        Cell algorithm;
        Cell bus;
        if (row.bytes != kNoValue && duration > 0) {
            const double rate = static_cast<double>(row.bytes) / static_cast<double>(duration);
            algorithm = rate;
            if (const auto factor = bus_factor(row.type, size ? *size : 0)) bus = rate * *factor;
        }
        const std::string_view type = collective_type_name(row.type);
        const int32_t drawn_on = trace.processes[trace.lanes[kernel.lane].process].device;
        Cell device = number_of(gpu.device, row.activity, int32_t{-1});
        if (std::holds_alternative<std::monostate>(device) && drawn_on >= 0)
            device = int64_t{drawn_on};
        table.add_row(
            {trace.name(kernel), type.empty() ? Cell() : Cell(type),
             text_of(trace, c.group_name, row.keys), text_of(trace, c.group_ranks, row.keys),
             group_size, text_of(trace, c.dtype, row.keys),
             number_of(c.in_elements, row.keys, kNoValue),
             number_of(c.out_elements, row.keys, kNoValue),
             row.bytes == kNoValue ? Cell() : Cell(row.bytes), algorithm, bus, device,
             number_of(gpu.stream, row.activity, int32_t{-1}), trace.start(kernel) - trace.origin,
             duration, row.exposed,
             duration > 0 ? Cell(static_cast<double>(row.exposed) / static_cast<double>(duration))
                          : Cell(),
             step_of(context, context.attribution().launch[row.activity])},
            {kernel, {}});
    }
    return table;
}

}  // namespace lanescope
