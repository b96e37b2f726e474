#include "core/analysis/gpu/breakdown_groups.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/analysis/context.h"
#include "core/base/intervals.h"
#include "core/table/cells.h"
#include "core/trace/category.h"
#include "core/trace/communication.h"
#include "core/trace/kernel_classes.h"

namespace lanescope {

struct GroupTableRow {
    const Trace& trace;
    const GpuDevice& device;
    const WorkGroup& group;
    const WorkGroupPair* pair;  // null: a row of a single group
    std::string_view other;     // the pair's other group
    TimeRange range;

    std::optional<int64_t> own(int64_t value) const {
        return pair ? std::nullopt : std::optional(value);
    }
};

namespace {

constexpr std::string_view kOfPair = "the row is of a pair of groups";
constexpr std::string_view kOfGroup = "the row is of one group";

std::string group_of_collective(std::string_view name) {
    const std::optional<CommunicationKernel> kernel = communication_kernel(name);
    return kernel ? "communication: " + std::string(kernel->library) : "communication";
}

constexpr auto kGroupColumns = columns<GroupTableRow>({
    {{"group", Unit::none, kDistinct, "",
      "The group of kernels: from the file of --classes, else their family; of communication also "
      "the library."},
     [](const GroupTableRow& row) { return std::string_view(row.group.name); }},
    {{"with_group", Unit::none, kDistinct, kOfGroup, "The other group of a pair."},
     [](const GroupTableRow& row) { return row.pair ? std::optional(row.other) : std::nullopt; }},
    {where_rows_differ(
         {"device", Unit::none, kDistinct, "the file does not say", "Ordinal of the GPU."}),
     [](const GroupTableRow& row) { return known(row.device.device, -1); }},
    {where_rows_differ(
         {"pid", Unit::none, kDistinct, "", "Id of the device's rows, as the file writes it."}),
     [](const GroupTableRow& row) {
         return row.trace.strings[row.trace.processes[row.device.process].pid];
     }},
    {{"count", Unit::count, kSum, kOfPair, "Kernels, copies and sets of the group."},
     [](const GroupTableRow& row) { return row.own(row.group.count); }},
    {{"time_ns", Unit::nanoseconds, kSum, kOfPair,
      "The sum of their durations; concurrent ones count each."},
     [](const GroupTableRow& row) { return row.own(row.group.time); }},
    {{"busy_ns", Unit::nanoseconds, kNoAggregate, kOfPair,
      "Time in which at least one of them ran, cut to the range."},
     [](const GroupTableRow& row) { return row.own(row.group.busy); }},
    {{"alone_ns", Unit::nanoseconds, kSum, kOfPair,
      "The part of busy_ns in which no other group ran."},
     [](const GroupTableRow& row) { return row.own(row.group.alone); }},
    {{"overlap_ns", Unit::nanoseconds, kNoAggregate, kOfGroup,
      "Time in which both groups of the pair ran. Pairs that never ran together have no row."},
     [](const GroupTableRow& row) {
         return row.pair ? std::optional(row.pair->overlap) : std::nullopt;
     }},
});

struct GroupTimes {
    WorkGroup group;
    Intervals times;
};

std::vector<GroupTimes> times_of(const Trace& trace, const KernelFamilies& families,
                                 std::span<const GpuWork> work, const TableQuery& query) {
    const TimeRange range = query.device_range().value_or(span_of(work));
    std::map<std::string, GroupTimes> by_name;
    std::map<std::tuple<StringId, WorkKind, KernelFamily>, GroupTimes*> of_names;
    for (const GpuWork& one : work) {
        const StringId name = trace.name_id(trace.gpu_activities.slice[one.row]);
        const KernelFamily family = families.by_row[one.row];
        GroupTimes*& of_name = of_names[{name, one.kind, family}];
        if (!of_name) {
            std::string group = group_of_work(trace, one, family);
            of_name = &by_name[group];
            of_name->group.name = std::move(group);
        }
        if (query.has_work(one.row, one.range.begin)) {
            ++of_name->group.count;
            of_name->group.time += one.range.length();
        }
        append_merged(of_name->times,
                      {std::max(one.range.begin, range.begin), std::min(one.range.end, range.end)});
    }
    std::vector<GroupTimes> all;
    for (auto& [name, times] : by_name) {
        times.group.busy = total_length(times.times);
        if (times.group.count > 0 || times.group.busy > 0) all.push_back(std::move(times));
    }
    std::ranges::stable_sort(all, std::greater(), [](const GroupTimes& g) { return g.group.busy; });
    return all;
}

// Walks through the starts and ends of all groups in order of time, and sums the time in which only
// one group runs.
void find_alone(std::vector<GroupTimes>& all) {
    struct Cursor {
        std::size_t at = 0;
        bool runs = false;
    };
    std::vector<Cursor> cursors(all.size());
    const auto next_of = [&](std::size_t g) {
        const Intervals& times = all[g].times;
        const Cursor& cursor = cursors[g];
        if (cursor.at == times.size()) return std::numeric_limits<Nanos>::max();
        return cursor.runs ? times[cursor.at].end : times[cursor.at].begin;
    };
    Nanos before = 0;
    while (!all.empty()) {
        std::size_t first = 0;
        for (std::size_t g = 1; g < all.size(); ++g)
            if (next_of(g) < next_of(first)) first = g;
        const Nanos now = next_of(first);
        if (now == std::numeric_limits<Nanos>::max()) return;
        if (std::ranges::count(cursors, true, &Cursor::runs) == 1) {
            const auto alone = std::ranges::find(cursors, true, &Cursor::runs) - cursors.begin();
            all[static_cast<std::size_t>(alone)].group.alone += now - before;
        }
        before = now;
        Cursor& cursor = cursors[first];
        if (cursor.runs) ++cursor.at;
        cursor.runs = !cursor.runs;
    }
}

}  // namespace

const TableOf<GroupTableRow> kBreakdownByGroupTable = {
    {"breakdown", "How long each group of kernels ran, and each two at the same time.", "group"},
    kGroupColumns,
    [](const GroupTableRow& row) {
        return RowTarget{{}, row.range};
    }};

std::string group_of_work(const Trace& trace, const GpuWork& work, KernelFamily family) {
    const StringId id = trace.name_id(trace.gpu_activities.slice[work.row]);
    const std::string_view name = trace.strings[id];
    if (trace.kernel_classes)
        if (const KernelClass* const own = trace.kernel_classes->find(name);
            own && !own->group.empty())
            return own->group;
    if (work.kind == WorkKind::communication) {
        if (id < trace.name_traits.size() && (trace.name_traits[id] & kComputingCollective))
            return "computing and communication";
        return group_of_collective(name);
    }
    // The user's class says that the kernel computes, but not what.
    if (family == KernelFamily::communication) family = KernelFamily::other;
    return std::string(family_name(family));
}

WorkGroups work_groups(const Trace& trace, const KernelFamilies& families,
                       std::span<const GpuWork> work, const TableQuery& query) {
    std::vector<GroupTimes> all = times_of(trace, families, work, query);
    find_alone(all);
    WorkGroups found;
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = i + 1; j < all.size(); ++j)
            if (const Nanos overlap = total_length(intersect(all[i].times, all[j].times));
                overlap > 0)
                found.pairs.push_back(
                    {static_cast<uint32_t>(i), static_cast<uint32_t>(j), overlap});
    for (GroupTimes& times : all) found.groups.push_back(std::move(times.group));
    std::ranges::stable_sort(found.pairs, std::greater(), &WorkGroupPair::overlap);
    return found;
}

Table breakdown_by_group_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    TableBuilder table(kBreakdownByGroupTable);
    for (const GpuDevice& device : context.get<GpuDevices>().all) {
        const WorkGroups found =
            work_groups(trace, context.get<KernelFamilies>(), device.work, query);
        const TimeRange range = query.device_range().value_or(span_of(device.work));
        for (const WorkGroup& group : found.groups)
            table.add({trace, device, group, nullptr, "", range});
        for (const WorkGroupPair& pair : found.pairs)
            table.add({trace, device, found.groups[pair.first], &pair,
                       found.groups[pair.second].name, range});
    }
    return table.take();
}

}  // namespace lanescope
