// The part of core/insight/summary/summary.h about memory.
#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "core/analysis/memory/memory.h"
#include "core/analysis/memory/memory_blocks.h"
#include "core/insight/summary/summary.h"

namespace lanescope {

namespace {

constexpr std::size_t kHoldersListed = 3;

}  // namespace

std::vector<SummaryMemory> summarise_memory(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const std::span<const MemoryCurve> curves = context.get<MemoryCurves>().all;
    const std::span<const MemoryBlock> blocks = context.get<MemoryBlocks>().all;
    std::vector<SummaryMemory> all;
    for (uint32_t c = 0; c < curves.size(); ++c) {
        const uint32_t peak = peak_of(trace, curves[c], query);
        if (peak == kNoRow) continue;
        const uint32_t row = curves[c].rows[peak];
        SummaryMemory memory{curves[c].device_type,         curves[c].device_id,
                             curves[c].allocated[peak],     0,
                             trace.memory_events.time[row], {}};
        std::map<StringId, SummaryHolder> by_name;  // 0: outside of operators
        int64_t recorded = 0;
        for (const MemoryBlock& block : blocks) {
            if (block.curve != c || block.allocated > row || block.freed <= row) continue;
            SummaryHolder& holder = by_name[block.op ? trace.name_id(block.op) : 0];
            if (!holder.op) holder.op = block.op;
            holder.bytes += trace.memory_events.bytes[block.allocated];
            recorded += trace.memory_events.bytes[block.allocated];
        }
        memory.earlier = memory.peak - recorded;
        for (const auto& [name, holder] : by_name) memory.holders.push_back(holder);
        std::ranges::stable_sort(memory.holders, std::greater(), &SummaryHolder::bytes);
        if (memory.holders.size() > kHoldersListed) memory.holders.resize(kHoldersListed);
        all.push_back(std::move(memory));
    }
    std::ranges::stable_sort(all, std::greater(), &SummaryMemory::peak);
    return all;
}

}  // namespace lanescope
