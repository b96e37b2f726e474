// Tables of single blocks of memory: the largest, and those that are not freed.
#include <memory>
#include <string>
#include <vector>

#include "core/analysis/memory/memory_in_range.h"
#include "core/base/radix_sort.h"
#include "core/table/cells.h"

namespace lanescope {

namespace {

// The data behind the table's rows.
struct BlockRows : MemoryInRange {
    BlockRows(const TraceContext& c, const TableQuery& q)
        : MemoryInRange(c, q), steps(c.get<Steps>()) {
        for (uint32_t step = 0; step < steps.all.size(); ++step)
            step_labels.push_back(full_step_label(trace, steps, step));
    }

    const Steps& steps;
    std::vector<std::string> step_labels;
};

}  // namespace

struct MemoryBlockTableRow {
    const BlockRows& all;
    const MemoryBlock& block;
    const Trace& trace = all.trace;

    Nanos start() const { return trace.memory_events.time[block.allocated]; }
    std::optional<Nanos> lifetime() const {
        return block.freed == kNoRow
                   ? std::nullopt
                   : std::optional(trace.memory_events.time[block.freed] - start());
    }
    std::optional<std::string_view> step() const {
        const uint32_t step = all.step_of(all.steps, block);
        return step == kNoRow ? std::nullopt
                              : std::optional(std::string_view(all.step_labels[step]));
    }
};

namespace {

constexpr auto kBlockColumns = columns<MemoryBlockTableRow>({
    {kMemoryDevice,
     [](const MemoryBlockTableRow& row) {
         return std::string_view(row.all.devices[row.block.curve]);
     }},
    {{"size_bytes", Unit::bytes, kSum, "", "Its size."},
     [](const MemoryBlockTableRow& row) { return row.all.size_of(row.block); }},
    {{"start_ns", Unit::nanoseconds, kMin, "", "When it was allocated, from the trace's origin."},
     [](const MemoryBlockTableRow& row) { return row.start() - row.trace.origin; }},
    {{"duration_ns", Unit::nanoseconds, kSum, "not freed in the trace", "How long it was alive."},
     [](const MemoryBlockTableRow& row) { return row.lifetime(); }},
    {kMemoryOperator,
     [](const MemoryBlockTableRow& row) { return known_name(row.trace, row.block.op); }},
    {kMemoryModule,
     [](const MemoryBlockTableRow& row) { return known_name(row.trace, row.block.module); }},
    {kMemoryStep, [](const MemoryBlockTableRow& row) { return row.step(); }},
    {{"at_peak", Unit::none, kMax, "", "1: alive at the device's peak."},
     [](const MemoryBlockTableRow& row) { return row.all.at_peak(row.block); }},
});

RowTarget place_of(const MemoryBlockTableRow& row) {
    return {row.block.call, {row.start(), row.start() + 1}};
}

Table blocks_table(const TableOf<MemoryBlockTableRow>& table, const TraceContext& context,
                   const TableQuery& query, bool only_unfreed) {
    const auto source = std::make_shared<const BlockRows>(context, query);
    std::vector<uint32_t> blocks;
    for (uint32_t i = 0; i < source->blocks.size(); ++i) {
        const MemoryBlock& block = source->blocks[i];
        if (source->in_range(block.allocated) && (!only_unfreed || block.freed == kNoRow))
            blocks.push_back(i);
    }
    radix_sort(blocks, [&](uint32_t i) { return ~radix_key(source->size_of(source->blocks[i])); });
    return table_on_demand(table, std::move(blocks), [source](uint32_t i) {
        return MemoryBlockTableRow{*source, source->blocks[i]};
    });
}

}  // namespace

const TableOf<MemoryBlockTableRow> kMemoryByLargestTable = {
    {"memory", "Blocks of memory, the largest first.", "largest"}, kBlockColumns, place_of};
const TableOf<MemoryBlockTableRow> kMemoryByUnfreedTable = {
    {"memory", "Blocks of memory that are not freed in the trace.", "unfreed"},
    kBlockColumns,
    place_of};

Table memory_by_largest_table(const TraceContext& context, const TableQuery& query) {
    return blocks_table(kMemoryByLargestTable, context, query, false);
}
Table memory_by_unfreed_table(const TraceContext& context, const TableQuery& query) {
    return blocks_table(kMemoryByUnfreedTable, context, query, true);
}

}  // namespace lanescope
