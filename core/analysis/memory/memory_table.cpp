// Tables of memory: of each device, and by what allocated it.
#include <algorithm>
#include <map>
#include <string>

#include "core/analysis/memory/memory.h"
#include "core/analysis/memory/memory_in_range.h"
#include "core/analysis/structure/process_cell.h"
#include "core/analysis/structure/steps.h"
#include "core/table/cells.h"

namespace lanescope {

namespace {

struct DeviceSums {
    int64_t allocations = 0;
    int64_t frees = 0;
    int64_t reserved = kNoValue;
    int64_t fragmentation = kNoValue;
    int64_t unfreed = 0;
    int64_t recorded_at_peak = 0;
    SliceRef peak_operator;
};

DeviceSums sums_of(const MemoryInRange& memory, uint32_t c) {
    const MemoryCurve& curve = memory.curves[c];
    DeviceSums sums;
    for (std::size_t i = 0; i < curve.rows.size(); ++i) {
        if (!memory.in_range(curve.rows[i])) continue;
        ++(memory.trace.memory_events.bytes[curve.rows[i]] > 0 ? sums.allocations : sums.frees);
        // The CPU's allocator reserves nothing; files write 0 for that.
        if (curve.reserved[i] == kNoValue || curve.device_type == 0) continue;
        sums.reserved = std::max(sums.reserved, curve.reserved[i]);
        sums.fragmentation = std::max(sums.fragmentation, curve.reserved[i] - curve.allocated[i]);
    }
    for (const MemoryBlock& block : memory.blocks) {
        if (block.curve != c) continue;
        if (block.freed == kNoRow && memory.in_range(block.allocated))
            sums.unfreed += memory.size_of(block);
        if (memory.at_peak(block)) sums.recorded_at_peak += memory.size_of(block);
        if (block.allocated == memory.peak_rows[c]) sums.peak_operator = block.op;
    }
    return sums;
}

struct Group {
    int64_t allocations = 0;
    int64_t bytes = 0;
    int64_t largest = kNoValue;
    int64_t at_peak = 0;
    int64_t blocks_at_peak = 0;
    int64_t unfreed = 0;
    SliceRef of_largest;
};

}  // namespace

struct MemoryDeviceTableRow {
    const MemoryInRange& memory;
    uint32_t curve;  // of MemoryInRange::curves
    const Trace& trace = memory.trace;
    const MemoryCurve& memory_curve = memory.curves[curve];
    uint32_t peak = memory.peaks[curve];  // kNoRow: nothing in the range
    DeviceSums sums = sums_of(memory, curve);

    uint32_t process_row() const { return memory_curve.process; }
    bool has_peak() const { return peak != kNoRow; }
    Nanos time() const { return trace.memory_events.time[memory_curve.rows[peak]]; }
    // Unknown without a peak.
    std::optional<int64_t> if_peak(int64_t value) const {
        return has_peak() ? known(value, kNoValue) : std::nullopt;
    }
    std::optional<int64_t> at_peak() const {
        return has_peak() ? std::optional(memory_curve.allocated[peak]) : std::nullopt;
    }
    std::optional<int64_t> earlier() const {
        return has_peak() ? std::optional(memory_curve.allocated[peak] - sums.recorded_at_peak)
                          : std::nullopt;
    }
    std::optional<int64_t> fragmentation() const {
        if (!has_peak() || sums.reserved == kNoValue || memory_curve.reserved[peak] == kNoValue)
            return std::nullopt;
        return memory_curve.reserved[peak] - memory_curve.allocated[peak];
    }
};

struct MemoryOwnerTableRow {
    std::string_view device;
    const Group& group;
    std::optional<std::string_view> owner;
    RowTarget place;
};

namespace {

constexpr std::string_view kNothing = "nothing in the range";

constexpr auto kDeviceColumns = columns<MemoryDeviceTableRow>({
    {kMemoryDevice,
     [](const MemoryDeviceTableRow& row) {
         return std::string_view(row.memory.devices[row.curve]);
     }},
    {{"allocations", Unit::count, kSum, "", "Blocks allocated in the range."},
     [](const MemoryDeviceTableRow& row) { return row.sums.allocations; }},
    {{"frees", Unit::count, kSum, "", "Blocks freed in the range."},
     [](const MemoryDeviceTableRow& row) { return row.sums.frees; }},
    {{"peak_allocated_bytes", Unit::bytes, kMax, kNothing,
      "Maximum of allocated memory, including earlier allocations."},
     [](const MemoryDeviceTableRow& row) { return row.at_peak(); }},
    {{"peak_start_ns", Unit::nanoseconds, kMin, kNothing,
      "Time of the peak, from the trace's origin."},
     [](const MemoryDeviceTableRow& row) {
         return row.has_peak() ? std::optional(row.time() - row.trace.origin) : std::nullopt;
     }},
    {{"peak_operator", Unit::none, kDistinct, "outside of operators",
      "The operator that allocated at the time of the peak."},
     [](const MemoryDeviceTableRow& row) {
         return row.has_peak() ? known_name(row.trace, row.sums.peak_operator) : std::nullopt;
     }},
    {{"earlier_bytes", Unit::bytes, kMax, kNothing,
      "Part of the peak that was allocated before the recording began."},
     [](const MemoryDeviceTableRow& row) { return row.earlier(); }},
    {{"peak_reserved_bytes", Unit::bytes, kMax, "not recorded",
      "Maximum of memory that the allocator had reserved."},
     [](const MemoryDeviceTableRow& row) { return row.if_peak(row.sums.reserved); }},
    {{"fragmentation_bytes", Unit::bytes, kMax, "not recorded",
      "Reserved less allocated, at the time of the peak."},
     [](const MemoryDeviceTableRow& row) { return row.fragmentation(); }},
    {{"max_fragmentation_bytes", Unit::bytes, kMax, "not recorded",
      "Maximum of reserved less allocated memory in the range."},
     [](const MemoryDeviceTableRow& row) { return row.if_peak(row.sums.fragmentation); }},
    {{"unfreed_bytes", Unit::bytes, kSum, "", "Allocated in the range and not freed in the trace."},
     [](const MemoryDeviceTableRow& row) { return row.sums.unfreed; }},
    kProcessColumn,
});

// The columns of a table that sums blocks by owner (operator, module, step).
constexpr auto columns_by(const ColumnText& owner) {
    return columns<MemoryOwnerTableRow>({
        {kMemoryDevice, [](const MemoryOwnerTableRow& row) { return row.device; }},
        {owner, [](const MemoryOwnerTableRow& row) { return row.owner; }},
        {{"allocations", Unit::count, kSum, "", "Blocks allocated in the range."},
         [](const MemoryOwnerTableRow& row) { return row.group.allocations; }},
        {{"allocated_bytes", Unit::bytes, kSum, "", "Sum of their sizes."},
         [](const MemoryOwnerTableRow& row) { return row.group.bytes; }},
        {{"largest_bytes", Unit::bytes, kMax, "none in the range",
          "Size of the largest allocation."},
         [](const MemoryOwnerTableRow& row) { return known(row.group.largest, kNoValue); }},
        {{"at_peak_bytes", Unit::bytes, kSum, "",
          "The part of its allocations that was alive at the device's peak."},
         [](const MemoryOwnerTableRow& row) { return row.group.at_peak; }},
        {{"blocks_at_peak", Unit::count, kSum, "", "Number of these allocations."},
         [](const MemoryOwnerTableRow& row) { return row.group.blocks_at_peak; }},
        {{"unfreed_bytes", Unit::bytes, kSum, "",
          "Allocations in the range that are not freed in the trace."},
         [](const MemoryOwnerTableRow& row) { return row.group.unfreed; }},
    });
}
constexpr auto kOperatorColumns = columns_by(kMemoryOperator);
constexpr auto kModuleColumns = columns_by(kMemoryModule);
constexpr auto kStepColumns = columns_by(kMemoryStep);

RowTarget place_of(const MemoryDeviceTableRow& row) {
    if (!row.has_peak()) return {};
    return {row.sums.peak_operator, {row.time(), row.time() + 1}};
}
RowTarget place_of(const MemoryOwnerTableRow& row) {
    return row.place;
}
Table device_table(const TableOf<MemoryDeviceTableRow>& declaration, const TraceContext& context,
                   const TableQuery& query) {
    const MemoryInRange memory(context, query);
    TableBuilder table(declaration);
    for (uint32_t c = 0; c < memory.curves.size(); ++c) table.add({memory, c});
    return table.take();
}

RowTarget largest_block(const Group& group) {
    return {group.of_largest, {}};
}

// `key_of(block)`: the number of the block's owner; kNoRow: none. `name_of(key)`, and
// `owner_place(key, group)` for a known owner.
template <typename KeyOf, typename NameOf, typename OwnerPlace>
Table grouped_table(const TableOf<MemoryOwnerTableRow>& declaration, const MemoryInRange& memory,
                    const KeyOf& key_of, const NameOf& name_of, const OwnerPlace& owner_place) {
    std::map<std::pair<uint32_t, uint32_t>, Group> groups;
    for (const MemoryBlock& block : memory.blocks) {
        const bool counts = memory.in_range(block.allocated);
        const bool at_peak = memory.at_peak(block);
        if (!counts && !at_peak) continue;
        Group& group = groups[{block.curve, key_of(block)}];
        const int64_t size = memory.size_of(block);
        if (at_peak) group.at_peak += size;
        if (at_peak) ++group.blocks_at_peak;
        if (!counts) continue;
        ++group.allocations;
        group.bytes += size;
        if (block.freed == kNoRow) group.unfreed += size;
        if (size > group.largest) group.of_largest = block.call;
        group.largest = std::max(group.largest, size);
    }
    using Entry = std::pair<std::pair<uint32_t, uint32_t>, Group>;
    std::vector<Entry> rows(groups.begin(), groups.end());
    std::ranges::stable_sort(rows, [](const Entry& a, const Entry& b) {
        return std::pair(a.second.at_peak, a.second.bytes) >
               std::pair(b.second.at_peak, b.second.bytes);
    });
    TableBuilder table(declaration);
    for (const auto& [key, group] : rows) {
        if (key.second == kNoRow) {
            table.add({memory.devices[key.first], group, std::nullopt, largest_block(group)});
            continue;
        }
        const std::string owner(name_of(key.second));
        table.add({memory.devices[key.first], group, owner, owner_place(key.second, group)});
    }
    return table.take();
}

Table grouped_by_call(const TableOf<MemoryOwnerTableRow>& declaration, const TraceContext& context,
                      const TableQuery& query, SliceRef MemoryBlock::*wanted) {
    const MemoryInRange memory(context, query);
    return grouped_table(
        declaration, memory,
        [&](const MemoryBlock& block) {
            const SliceRef call = block.*wanted;
            return call ? memory.trace.name_id(call) : kNoRow;
        },
        [&](uint32_t name) { return memory.trace.strings[name]; },
        [](uint32_t, const Group& group) { return largest_block(group); });
}

}  // namespace

const TableOf<MemoryDeviceTableRow> kMemoryTable = {
    {"memory", "Memory of each device: its peak, and what the allocator reserved."},
    kDeviceColumns,
    place_of};
const TableOf<MemoryDeviceTableRow> kMemoryByDeviceTable = {
    {"memory", "Memory of each device.", "device"}, kDeviceColumns, place_of};
const TableOf<MemoryOwnerTableRow> kMemoryByModuleTable = {
    {"memory", "Memory by the module that allocated it.", "module"}, kModuleColumns, place_of};
const TableOf<MemoryOwnerTableRow> kMemoryByOperatorTable = {
    {"memory", "Memory by the operator that allocated it.", "operator"},
    kOperatorColumns,
    place_of};
const TableOf<MemoryOwnerTableRow> kMemoryByStepTable = {
    {"memory", "Memory by the step that allocated it.", "step"}, kStepColumns, place_of};
uint32_t peak_of(const Trace& trace, const MemoryCurve& curve, const TableQuery& query) {
    uint32_t peak = kNoRow;
    for (uint32_t i = 0; i < curve.rows.size(); ++i) {
        if (query.range && !query.range->contains(trace.memory_events.time[curve.rows[i]]))
            continue;
        if (peak == kNoRow || curve.allocated[i] > curve.allocated[peak]) peak = i;
    }
    return peak;
}

Table memory_table(const TraceContext& context, const TableQuery& query) {
    return device_table(kMemoryTable, context, query);
}
Table memory_by_device_table(const TraceContext& context, const TableQuery& query) {
    return device_table(kMemoryByDeviceTable, context, query);
}
Table memory_by_operator_table(const TraceContext& context, const TableQuery& query) {
    return grouped_by_call(kMemoryByOperatorTable, context, query, &MemoryBlock::op);
}
Table memory_by_module_table(const TraceContext& context, const TableQuery& query) {
    return grouped_by_call(kMemoryByModuleTable, context, query, &MemoryBlock::module);
}
Table memory_by_step_table(const TraceContext& context, const TableQuery& query) {
    const MemoryInRange memory(context, query);
    const Steps& steps = context.get<Steps>();
    return grouped_table(
        kMemoryByStepTable, memory,
        [&](const MemoryBlock& block) { return memory.step_of(steps, block); },
        [&](uint32_t step) { return full_step_label(memory.trace, steps, step); },
        [&](uint32_t step, const Group&) {
            return RowTarget{steps.all[step].slice, steps.all[step].range};
        });
}
}  // namespace lanescope
