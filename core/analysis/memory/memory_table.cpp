// The tables of core/analysis/memory/memory.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>

#include "core/analysis/memory/memory.h"
#include "core/analysis/memory/memory_blocks.h"
#include "core/analysis/structure/steps.h"
#include "core/base/radix_sort.h"
#include "core/table/cells.h"

namespace lanescope {

namespace {

using enum ValueType;

constexpr ColumnSpec kDevice = {"device", text, Unit::none, "", "CPU, or GPU with its ordinal."};

constexpr std::array kDeviceColumns = {
    kDevice,
    ColumnSpec{"allocations", integer, Unit::count, "", "Blocks allocated in the range."},
    ColumnSpec{"frees", integer, Unit::count, "", "Blocks freed in the range."},
    ColumnSpec{"peak_allocated_bytes", integer, Unit::bytes, "nothing in the range",
               "Maximum of allocated memory, including earlier allocations."},
    ColumnSpec{"peak_start_ns", integer, Unit::nanoseconds, "nothing in the range",
               "When that was, from the trace's origin."},
    ColumnSpec{"peak_operator", text, Unit::none, "outside of operators",
               "The operator that allocated at that time."},
    ColumnSpec{"earlier_bytes", integer, Unit::bytes, "nothing in the range",
               "Part of the peak that was allocated before the recording began."},
    ColumnSpec{"peak_reserved_bytes", integer, Unit::bytes, "not recorded",
               "Maximum of memory that the allocator had reserved."},
    ColumnSpec{"fragmentation_bytes", integer, Unit::bytes, "not recorded",
               "Reserved less allocated, at the time of the peak."},
    ColumnSpec{"max_fragmentation_bytes", integer, Unit::bytes, "not recorded",
               "The most of it in the range."},
    ColumnSpec{"unfreed_bytes", integer, Unit::bytes, "",
               "Allocated in the range and not freed in the trace."},
};

constexpr ColumnSpec kAllocations = {"allocations", integer, Unit::count, "",
                                     "Blocks allocated in the range."};
constexpr ColumnSpec kAllocated = {"allocated_bytes", integer, Unit::bytes, "",
                                   "Sum of their sizes."};
constexpr ColumnSpec kLargest = {"largest_bytes", integer, Unit::bytes, "none in the range",
                                 "The largest of them."};
constexpr ColumnSpec kAtPeak = {"at_peak_bytes", integer, Unit::bytes, "",
                                "The part of its allocations that was alive at the device's peak."};
constexpr ColumnSpec kBlocksAtPeak = {"blocks_at_peak", integer, Unit::count, "",
                                      "Blocks that this is made of."};
constexpr ColumnSpec kUnfreed = {"unfreed_bytes", integer, Unit::bytes, "",
                                 "Allocations in the range that are not freed in the trace."};

constexpr ColumnSpec kOperator = {"operator", text, Unit::none, "outside of operators",
                                  "The innermost operator around the allocation."};
constexpr ColumnSpec kModule = {"module", text, Unit::none,
                                "outside of modules, or modules are not recorded",
                                "The innermost module around the allocation."};
constexpr ColumnSpec kStep = {"step", text, Unit::none, "outside of steps",
                              "The step of the allocation."};

// For tables that sum blocks by their owner.
constexpr std::array<ColumnSpec, 8> columns_by(const ColumnSpec& owner) {
    return {kDevice, owner, kAllocations, kAllocated, kLargest, kAtPeak, kBlocksAtPeak, kUnfreed};
}
constexpr std::array kOperatorColumns = columns_by(kOperator);
constexpr std::array kModuleColumns = columns_by(kModule);
constexpr std::array kStepColumns = columns_by(kStep);

constexpr std::array kBlockColumns = {
    kDevice,
    ColumnSpec{"size_bytes", integer, Unit::bytes, "", "Its size."},
    ColumnSpec{"start_ns", integer, Unit::nanoseconds, "",
               "When it was allocated, from the trace's origin."},
    ColumnSpec{"duration_ns", integer, Unit::nanoseconds, "not freed in the trace",
               "How long it was alive."},
    kOperator,
    kModule,
    kStep,
    ColumnSpec{"at_peak", integer, Unit::none, "", "1: alive at the device's peak."},
};

std::string device_name(const MemoryCurve& curve) {
    if (curve.device_type == 0) return "CPU";
    return fmt::format("GPU {}", curve.device_id);
}

// Common data of all tables.
struct Memory {
    Memory(const TraceContext& c, const TableQuery& q)
        : context(c),
          trace(context.trace()),
          query(q),
          curves(c.get<MemoryCurves>().all),
          blocks(c.get<MemoryBlocks>().all) {
        for (const MemoryCurve& curve : curves) {
            const uint32_t peak = peak_of(trace, curve, query);
            peaks.push_back(peak);
            peak_rows.push_back(peak == kNoRow ? kNoRow : curve.rows[peak]);
            devices.push_back(device_name(curve));
        }
    }

    bool in_range(uint32_t row) const {
        return !query.range || query.range->contains(trace.memory_events.time[row]);
    }
    int64_t size_of(const MemoryBlock& block) const {
        return trace.memory_events.bytes[block.allocated];
    }
    // Events of the same time keep file order, so their rows tell which was first.
    bool at_peak(const MemoryBlock& block) const {
        const uint32_t peak = peak_rows[block.curve];
        return peak != kNoRow && block.allocated <= peak && block.freed > peak;
    }
    uint32_t step_of(const Steps& steps, const MemoryBlock& block) const {
        return steps.at(curves[block.curve].process, trace.memory_events.time[block.allocated]);
    }

    TraceContext context;
    const Trace& trace;
    TableQuery query;
    std::span<const MemoryCurve> curves;
    std::span<const MemoryBlock> blocks;
    std::vector<std::string> devices;  // by curve
    std::vector<uint32_t> peaks;       // by curve: place in it
    std::vector<uint32_t> peak_rows;   // by curve: row of Trace::memory_events
};

struct DeviceSums {
    int64_t allocations = 0;
    int64_t frees = 0;
    int64_t reserved = kNoValue;
    int64_t fragmentation = kNoValue;
    int64_t unfreed = 0;
    int64_t recorded_at_peak = 0;
    SliceRef peak_operator;
};

DeviceSums sums_of(const Memory& memory, uint32_t c) {
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

Cell known(int64_t value) {
    return value == kNoValue ? Cell() : Cell(value);
}

Table device_table(const TableSpec& spec, const TraceContext& context, const TableQuery& query) {
    const Memory memory(context, query);
    const Trace& trace = memory.trace;
    Table table(spec);
    for (uint32_t c = 0; c < memory.curves.size(); ++c) {
        const MemoryCurve& curve = memory.curves[c];
        const DeviceSums sums = sums_of(memory, c);
        const std::string& device = memory.devices[c];
        const uint32_t peak = memory.peaks[c];
        if (peak == kNoRow) {
            table.add_row({device, sums.allocations, sums.frees, Cell(), Cell(), Cell(), Cell(),
                           Cell(), Cell(), Cell(), sums.unfreed});
            continue;
        }
        const Nanos time = trace.memory_events.time[curve.rows[peak]];
        const bool reserves = sums.reserved != kNoValue && curve.reserved[peak] != kNoValue;
        table.add_row(
            {device, sums.allocations, sums.frees, curve.allocated[peak], time - trace.origin,
             sums.peak_operator ? Cell(trace.name(sums.peak_operator)) : Cell(),
             curve.allocated[peak] - sums.recorded_at_peak, known(sums.reserved),
             reserves ? Cell(curve.reserved[peak] - curve.allocated[peak]) : Cell(),
             known(sums.fragmentation), sums.unfreed},
            {sums.peak_operator, {time, time + 1}});
    }
    return table;
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

// `key_of(block)`: the number of the block's owner; kNoRow: none. `name_of(key)`.
template <typename KeyOf, typename NameOf>
Table grouped_table(const TableSpec& spec, const Memory& memory, const KeyOf& key_of,
                    const NameOf& name_of) {
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
    Table table(spec);
    for (const auto& [key, group] : rows)
        table.add_row(
            {memory.devices[key.first], key.second == kNoRow ? Cell() : Cell(name_of(key.second)),
             group.allocations, group.bytes, known(group.largest), group.at_peak,
             group.blocks_at_peak, group.unfreed},
            {group.of_largest, {}});
    return table;
}

Table grouped_by_call(const TableSpec& spec, const TraceContext& context, const TableQuery& query,
                      SliceRef MemoryBlock::*wanted) {
    const Memory memory(context, query);
    return grouped_table(
        spec, memory,
        [&](const MemoryBlock& block) {
            const SliceRef call = block.*wanted;
            return call ? memory.trace.name_id(call) : kNoRow;
        },
        [&](uint32_t name) { return memory.trace.strings[name]; });
}

// What the rows of blocks are computed from.
struct BlockRows : Memory {
    BlockRows(const TraceContext& c, const TableQuery& q) : Memory(c, q), steps(c.get<Steps>()) {
        for (uint32_t step = 0; step < steps.all.size(); ++step)
            step_labels.push_back(step_label(trace, steps, step));
    }

    Nanos start(uint32_t i) const { return trace.memory_events.time[blocks[i].allocated]; }
    Cell lifetime(uint32_t i) const {
        const uint32_t freed = blocks[i].freed;
        return freed == kNoRow ? Cell() : Cell(trace.memory_events.time[freed] - start(i));
    }
    Cell step(uint32_t i) const {
        const uint32_t step = step_of(steps, blocks[i]);
        return step == kNoRow ? Cell() : Cell(std::string_view(step_labels[step]));
    }

    const Steps& steps;
    std::vector<std::string> step_labels;
};

Table blocks_table(const TableSpec& spec, const TraceContext& context, const TableQuery& query,
                   bool only_unfreed) {
    const auto of = std::make_shared<const BlockRows>(context, query);
    std::vector<uint32_t> blocks;
    for (uint32_t i = 0; i < of->blocks.size(); ++i) {
        const MemoryBlock& block = of->blocks[i];
        if (of->in_range(block.allocated) && (!only_unfreed || block.freed == kNoRow))
            blocks.push_back(i);
    }
    radix_sort(blocks, [&](uint32_t i) { return ~radix_key(of->size_of(of->blocks[i])); });
    return Table(spec,
                 {std::move(blocks),
                  {[of](uint32_t i) { return std::string_view(of->devices[of->blocks[i].curve]); },
                   [of](uint32_t i) { return of->size_of(of->blocks[i]); },
                   [of](uint32_t i) { return of->start(i) - of->trace.origin; },
                   [of](uint32_t i) { return of->lifetime(i); },
                   [of](uint32_t i) { return name_cell(of->trace, of->blocks[i].op); },
                   [of](uint32_t i) { return name_cell(of->trace, of->blocks[i].module); },
                   [of](uint32_t i) { return of->step(i); },
                   [of](uint32_t i) { return int64_t{of->at_peak(of->blocks[i]) ? 1 : 0}; }},
                  [of](uint32_t i) {
                      return RowTarget{of->blocks[i].call, {of->start(i), of->start(i) + 1}};
                  }});
}

}  // namespace

const TableSpec kMemoryTable = {
    "memory", "Memory of each device: its peak, and what the allocator reserved.", kDeviceColumns};
const TableSpec kMemoryByDeviceTable = {"memory", "Memory of each device.", kDeviceColumns,
                                        "device"};
const TableSpec kMemoryByLargestTable = {"memory", "Blocks of memory, the largest first.",
                                         kBlockColumns, "largest"};
const TableSpec kMemoryByModuleTable = {"memory", "Memory by the module that allocated it.",
                                        kModuleColumns, "module"};
const TableSpec kMemoryByOperatorTable = {"memory", "Memory by the operator that allocated it.",
                                          kOperatorColumns, "operator"};
const TableSpec kMemoryByStepTable = {"memory", "Memory by the step that allocated it.",
                                      kStepColumns, "step"};
const TableSpec kMemoryByUnfreedTable = {
    "memory", "Blocks of memory that are not freed in the trace.", kBlockColumns, "unfreed"};

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
    const Memory memory(context, query);
    const Steps& steps = context.get<Steps>();
    return grouped_table(
        kMemoryByStepTable, memory,
        [&](const MemoryBlock& block) { return memory.step_of(steps, block); },
        [&](uint32_t step) { return step_label(memory.trace, steps, step); });
}
Table memory_by_largest_table(const TraceContext& context, const TableQuery& query) {
    return blocks_table(kMemoryByLargestTable, context, query, false);
}
Table memory_by_unfreed_table(const TraceContext& context, const TableQuery& query) {
    return blocks_table(kMemoryByUnfreedTable, context, query, true);
}

}  // namespace lanescope
