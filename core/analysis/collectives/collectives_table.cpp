// The table of core/analysis/collectives/collectives.h.
#include <array>
#include <map>
#include <vector>

#include "core/analysis/collectives/collective_numbers.h"
#include "core/analysis/collectives/collectives.h"
#include "core/analysis/structure/device_steps.h"
#include "core/analysis/structure/process_cell.h"
#include "core/analysis/structure/short_names.h"
#include "core/analysis/structure/step_cell.h"
#include "core/analysis/structure/steps.h"
#include "core/table/cells.h"
#include "core/trace/category.h"
#include "core/trace/communication.h"

namespace lanescope {

struct CollectiveTableRow {
    const Trace& trace;
    const Steps& steps;
    const std::vector<uint32_t>& step_of_work;
    const ShortNames& short_names;
    const CollectiveRow& collective;
    CollectiveNumber number = {};
    KernelVariant variant = {};
    const Collectives& recorded = trace.collectives;
    Nanos duration = trace.duration(collective.slice);

    std::string_view short_name() const {
        return short_names.of(trace, trace.name_id(collective.slice));
    }
    uint32_t process_row() const { return trace.lanes[collective.slice.lane].process; }
    std::optional<std::string_view> text(const Column<StringId>& column) const {
        if (collective.keys == kNoRow || column.empty()) return std::nullopt;
        return known_text(trace.strings[column[collective.keys]]);
    }
    std::optional<std::string_view> library() const {
        if (collective.activity == kNoRow) return "Gloo";
        const std::optional<CommunicationKernel> kernel =
            communication_kernel(trace.name(collective.slice));
        return kernel ? std::optional(kernel->library) : std::nullopt;
    }
    bool computes() const {
        const StringId name = trace.name_id(collective.slice);
        return name < trace.name_traits.size() &&
               (trace.name_traits[name] & kComputingCollective) != 0;
    }
    std::optional<std::string_view> number_source() const {
        if (number.number == kNoValue) return std::nullopt;
        return number.is_recorded ? "recorded" : "counted";
    }
    std::optional<int64_t> peer() const {
        if (collective.keys == kNoRow || recorded.peer.empty()) return std::nullopt;
        return known(recorded.peer[collective.keys], kNoValue);
    }
    // 10^9 bytes a second.
    std::optional<double> rate() const {
        if (collective.bytes == kNoValue) return std::nullopt;
        return known_ratio(static_cast<double>(collective.bytes), static_cast<double>(duration));
    }
    std::optional<double> bus_rate() const {
        const std::optional<double> algorithm = rate();
        return algorithm ? std::optional(*algorithm * collective.bus_factor) : std::nullopt;
    }
    std::optional<int64_t> device() const {
        if (collective.activity == kNoRow) return std::nullopt;
        const Column<int32_t>& device = trace.gpu_activities.device;
        if (!device.empty() && device[collective.activity] >= 0) return device[collective.activity];
        return known(trace.processes[trace.lanes[collective.slice.lane].process].device, -1);
    }
    std::optional<int64_t> stream() const {
        const Column<int32_t>& stream = trace.gpu_activities.stream;
        if (collective.activity == kNoRow || stream.empty()) return std::nullopt;
        return known(stream[collective.activity], -1);
    }
    std::optional<double> exposed_share() const {
        if (collective.exposed == kNoValue) return std::nullopt;
        return known_ratio(static_cast<double>(collective.exposed), static_cast<double>(duration));
    }
    std::optional<int64_t> step() const {
        if (collective.activity == kNoRow)
            return step_index(steps, process_row(), trace.start(collective.slice));
        const uint32_t step = step_of_work[collective.activity];
        return step == kNoRow ? std::nullopt : std::optional(steps.all[step].index);
    }
};

namespace {

constexpr auto kCallColumns = columns<CollectiveTableRow>({
    {{"name", Unit::none, kDistinct, "", "Name of the kernel, or of Gloo's call."},
     [](const CollectiveTableRow& row) { return row.trace.name(row.collective.slice); }},
    kShortNameColumn,
    {shown_first(
         {"type", Unit::none, kDistinct, "not in any name",
          "all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, reduce, gather, scatter, "
          "send_receive, or barrier."}),
     [](const CollectiveTableRow& row) {
         return known_text(collective_type_name(row.collective.type));
     }},
    {{"library", Unit::none, kDistinct, "not in the kernel's name", "NCCL, DeepEP or others."},
     [](const CollectiveTableRow& row) { return row.library(); }},
    {on_request({"computes", Unit::none, kMax, "",
                 "1: the kernel computes as well, such as an all-reduce with a norm."}),
     [](const CollectiveTableRow& row) { return row.computes(); }},
    {{"algorithm", Unit::none, kDistinct, "not in the kernel's name",
      "NCCL's: RING, TREE, NVLS, COLLNET, ..., from the kernel's name."},
     [](const CollectiveTableRow& row) { return known_text(row.variant.algorithm); }},
    {{"protocol", Unit::none, kDistinct, "not in the kernel's name",
      "NCCL's: LL, LL128 or SIMPLE."},
     [](const CollectiveTableRow& row) { return known_text(row.variant.protocol); }},
    {{"process_group", Unit::none, kDistinct, "not recorded", "Name of the process group."},
     [](const CollectiveTableRow& row) { return row.text(row.recorded.group_name); }},
    {{"group_description", Unit::none, kDistinct, "not recorded",
      "The program's description of the group."},
     [](const CollectiveTableRow& row) { return row.text(row.recorded.group_description); }},
    {{"group_ranks", Unit::none, kDistinct, "not recorded", "Ranks of the group, as in the file."},
     [](const CollectiveTableRow& row) { return row.text(row.recorded.group_ranks); }},
    {{"group_size", Unit::count, kDistinct, "not recorded", "Number of ranks in the group."},
     [](const CollectiveTableRow& row) { return known(row.collective.group_size, kNoValue); }},
    {on_request({"sequence", Unit::none, kDistinct,
                 "not recorded, but those of other calls of the group are",
                 "Number of the call among those of its process group, by which ranks match their "
                 "calls; its "
                 "sends and receives have numbers of their own. Without a recorded group: in its "
                 "stream."}),
     [](const CollectiveTableRow& row) { return known(row.number.number, kNoValue); }},
    {on_request({"sequence_from", Unit::none, kDistinct, "there is no number",
                 "recorded: as in the file, equal on all ranks; counted: from 1 for the first call "
                 "of the group that is in the file."}),
     [](const CollectiveTableRow& row) { return row.number_source(); }},
    {on_request({"peer", Unit::none, kDistinct, "not a send or receive, or not recorded",
                 "Rank that a send goes to, or a receive comes from."}),
     [](const CollectiveTableRow& row) { return row.peer(); }},
});

constexpr auto kMessageColumns = columns<CollectiveTableRow>({
    {{"dtype", Unit::none, kDistinct, "not recorded", "Type of an element."},
     [](const CollectiveTableRow& row) { return known_text(row.collective.dtype); }},
    {{"in_elements", Unit::count, kSum, "not recorded", "Elements of the input."},
     [](const CollectiveTableRow& row) { return known(row.collective.in_elements, kNoValue); }},
    {{"out_elements", Unit::count, kSum, "not recorded", "Elements of the output."},
     [](const CollectiveTableRow& row) { return known(row.collective.out_elements, kNoValue); }},
    {shown_first({"size_bytes", Unit::bytes, kSum, "not recorded",
                  "Size of the message: of the input, of an all-gather or gather the output."}),
     [](const CollectiveTableRow& row) { return known(row.collective.bytes, kNoValue); }},
    {{"algorithm_gb_per_s",
      Unit::none,
      mean_by("duration_ns"),
      "the size is not known",
      "Size divided by duration, in 10⁹ bytes a second. The duration includes waiting for other "
      "ranks, so this is a lower bound.",
      Priority::normal,
      {},
      "Algorithm GB/s"},
     [](const CollectiveTableRow& row) { return row.rate(); }},
    {{"bus_gb_per_s",
      Unit::none,
      mean_by("duration_ns"),
      "the size or the group is not known",
      "Algorithm bandwidth times 2(n-1)/n for an all-reduce, (n-1)/n for all-gather, "
      "reduce-scatter, all-to-all, gather and scatter, and 1 for others. For an all-to-all with "
      "uneven parts, uses the larger of what leaves and what reaches the rank.",
      Priority::first,
      {},
      "Bus GB/s"},
     [](const CollectiveTableRow& row) { return row.bus_rate(); }},
    {{"device", Unit::none, kDistinct, "not recorded, or on the CPU", "Ordinal of the GPU."},
     [](const CollectiveTableRow& row) { return row.device(); }},
    {{"stream", Unit::none, kDistinct, "not recorded, or on the CPU", "Id of the stream."},
     [](const CollectiveTableRow& row) { return row.stream(); }},
    {shown_first({"start_ns", Unit::nanoseconds, kMin, "", "Begin, from the trace's origin."}),
     [](const CollectiveTableRow& row) {
         return row.trace.start(row.collective.slice) - row.trace.origin;
     }},
    {shown_first(
         {"duration_ns", Unit::nanoseconds, kSum, "", "Duration of the kernel, or of the call."}),
     [](const CollectiveTableRow& row) { return row.duration; }},
    {shown_first({"exposed_ns", Unit::nanoseconds, kSum, "on the CPU",
                  "Part of the duration in which no computing kernel ran on the device."}),
     [](const CollectiveTableRow& row) { return known(row.collective.exposed, kNoValue); }},
    {shown_first({"exposed_share", Unit::ratio, mean_by("duration_ns"),
                  "it took no time, or on the CPU", "exposed_ns as a fraction of the duration."}),
     [](const CollectiveTableRow& row) { return row.exposed_share(); }},
    {{"step", Unit::none, kDistinct, "not launched in a step, or the launch is not known",
      "Index of the step in which it was launched."},
     [](const CollectiveTableRow& row) { return row.step(); }},
    kProcessColumn,
});
constexpr auto kCollectiveColumns = joined(kCallColumns, kMessageColumns);

}  // namespace

const TableOf<CollectiveTableRow> kCollectivesTable = {
    {"collectives", "Collectives: size, bandwidth, and the time that no computation hides."},
    kCollectiveColumns,
    [](const CollectiveTableRow& row) {
        return RowTarget{row.collective.slice, {}};
    }};

Table collectives_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const Steps& steps = context.get<Steps>();
    const std::vector<uint32_t>& step_of_work = context.get<DeviceSteps>().step_of_work;
    TableBuilder table(kCollectivesTable);
    const CollectiveNumbers& numbers = context.get<CollectiveNumbers>();
    std::map<StringId, KernelVariant> variants;
    std::vector<CollectiveRow> of_range;
    if (query.range) of_range = collective_rows(context, query);
    for (const CollectiveRow& row : query.range ? of_range : context.get<AllCollectives>().rows) {
        const auto [variant, added] = variants.try_emplace(trace.name_id(row.slice));
        if (added) variant->second = kernel_variant(trace.name(row.slice));
        table.add({trace, steps, step_of_work, context.get<ShortNames>(), row,
                   numbers.of(row.slice), variant->second});
    }
    return table.take();
}

}  // namespace lanescope
