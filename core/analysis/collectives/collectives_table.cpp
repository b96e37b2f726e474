// The table of core/analysis/collectives/collectives.h.
#include <array>
#include <map>
#include <vector>

#include "core/analysis/collectives/collectives.h"
#include "core/analysis/structure/steps.h"

namespace lanescope {

namespace {

using enum ValueType;

constexpr std::array kColumns = {
    ColumnSpec{"name", text, Unit::none, "", "Name of the kernel, or of Gloo's call."},
    ColumnSpec{"type", text, Unit::none, "not in any name",
               "all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, reduce, gather, "
               "scatter, send_receive, or barrier."},
    ColumnSpec{"algorithm", text, Unit::none, "not in the kernel's name",
               "NCCL's: RING, TREE, NVLS, COLLNET, ..., from the kernel's name."},
    ColumnSpec{"protocol", text, Unit::none, "not in the kernel's name",
               "NCCL's: LL, LL128 or SIMPLE."},
    ColumnSpec{"process_group", text, Unit::none, "not recorded", "Name of the process group."},
    ColumnSpec{"group_description", text, Unit::none, "not recorded",
               "What the program calls the group."},
    ColumnSpec{"group_ranks", text, Unit::none, "not recorded", "Its ranks, as the file has them."},
    ColumnSpec{"group_size", integer, Unit::count, "not recorded", "How many they are."},
    ColumnSpec{"dtype", text, Unit::none, "not recorded", "Type of an element."},
    ColumnSpec{"in_elements", integer, Unit::count, "not recorded", "Elements of the input."},
    ColumnSpec{"out_elements", integer, Unit::count, "not recorded", "Elements of the output."},
    ColumnSpec{"size_bytes", integer, Unit::bytes, "not recorded",
               "Size of the message: of the input, of an all-gather or gather the output."},
    ColumnSpec{"algorithm_gb_per_s", real, Unit::none, "the size is not known",
               "Size divided by duration, in 10⁹ bytes a second. The duration includes waiting for "
               "other ranks, so this is a lower bound."},
    ColumnSpec{
        "bus_gb_per_s", real, Unit::none, "the size or the group is not known",
        "Algorithm bandwidth times 2(n-1)/n for an all-reduce, (n-1)/n for all-gather, "
        "reduce-scatter, all-to-all, gather and scatter, and 1 for others. For an all-to-all with "
        "uneven parts, uses the larger of what leaves and what reaches the rank."},
    ColumnSpec{"device", integer, Unit::none, "not recorded, or on the CPU", "Ordinal of the GPU."},
    ColumnSpec{"stream", integer, Unit::none, "not recorded, or on the CPU", "Id of the stream."},
    ColumnSpec{"start_ns", integer, Unit::nanoseconds, "", "Begin, from the trace's origin."},
    ColumnSpec{"duration_ns", integer, Unit::nanoseconds, "",
               "How long the kernel, or the call, ran."},
    ColumnSpec{"exposed_ns", integer, Unit::nanoseconds, "on the CPU",
               "Part of the duration in which no computing kernel ran on the device."},
    ColumnSpec{"exposed_share", real, Unit::ratio, "it took no time, or on the CPU",
               "That as a part of the duration."},
    ColumnSpec{"step", integer, Unit::none, "not launched in a step, or the launch is not known",
               "Index of the step in which it was launched."},
};

Cell text_of(const Trace& trace, const Column<StringId>& column, uint32_t row) {
    if (row == kNoRow || column.empty() || trace.strings[column[row]].empty()) return {};
    return trace.strings[column[row]];
}

Cell known(int64_t value, int64_t unknown = kNoValue) {
    return value == unknown ? Cell() : Cell(value);
}

Cell known(std::string_view text) {
    return text.empty() ? Cell() : Cell(text);
}

Cell device_of(const Trace& trace, const CollectiveRow& row) {
    if (row.activity == kNoRow) return {};
    const Column<int32_t>& device = trace.gpu_activities.device;
    if (!device.empty() && device[row.activity] >= 0) return int64_t{device[row.activity]};
    return known(trace.processes[trace.lanes[row.slice.lane].process].device, -1);
}

Cell stream_of(const Trace& trace, const CollectiveRow& row) {
    const Column<int32_t>& stream = trace.gpu_activities.stream;
    return row.activity == kNoRow || stream.empty() ? Cell() : known(stream[row.activity], -1);
}

Cell step_of(const TraceContext& context, const CollectiveRow& row) {
    const SliceRef call = row.activity == kNoRow ? row.slice : row.launch;
    if (!call) return {};
    const Trace& trace = context.trace();
    const uint32_t step =
        context.get<Steps>().at(trace.lanes[call.lane].process, trace.start(call));
    return step == kNoRow ? Cell() : Cell(context.get<Steps>().all[step].index);
}

}  // namespace

const TableSpec kCollectivesTable = {
    "collectives", "Collectives: size, bandwidth, and the time that no computation hides.",
    kColumns};

Table collectives_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const Collectives& c = trace.collectives;
    Table table(kCollectivesTable);
    std::map<StringId, KernelVariant> variants;
    std::vector<CollectiveRow> of_range;
    if (query.range) of_range = collective_rows(context, query);
    for (const CollectiveRow& row : query.range ? of_range : context.get<AllCollectives>().rows) {
        const Nanos duration = trace.duration(row.slice);
        const auto [known_variant, added] = variants.try_emplace(trace.name_id(row.slice));
        KernelVariant& variant = known_variant->second;
        if (added) variant = kernel_variant(trace.name(row.slice));
        Cell rate;
        Cell bus;
        if (row.bytes != kNoValue && duration > 0) {
            const double bytes_a_ns =
                static_cast<double>(row.bytes) / static_cast<double>(duration);
            rate = bytes_a_ns;
            bus = bytes_a_ns * row.bus_factor;
        }
        Cell share;
        if (row.exposed != kNoValue && duration > 0)
            share = static_cast<double>(row.exposed) / static_cast<double>(duration);
        table.add_row({trace.name(row.slice),
                       known(collective_type_name(row.type)),
                       known(variant.algorithm),
                       known(variant.protocol),
                       text_of(trace, c.group_name, row.keys),
                       text_of(trace, c.group_description, row.keys),
                       text_of(trace, c.group_ranks, row.keys),
                       known(row.group_size),
                       known(row.dtype),
                       known(row.in_elements),
                       known(row.out_elements),
                       known(row.bytes),
                       rate,
                       bus,
                       device_of(trace, row),
                       stream_of(trace, row),
                       trace.start(row.slice) - trace.origin,
                       duration,
                       known(row.exposed),
                       share,
                       step_of(context, row)},
                      {row.slice, {}});
    }
    return table;
}

}  // namespace lanescope
