#include "core/analysis/memory/memory_blocks.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/analysis/context.h"
#include "core/analysis/structure/lane_view.h"
#include "core/base/flat_map.h"

namespace lanescope {

namespace {

// The innermost call, operator and module around each memory event on its thread, found row by row
// in parallel with the sorted events.
struct Around {
    std::vector<SliceRef> call, op, module;
};

void look_around(const Trace& trace, LaneId id, const std::vector<uint32_t>& events,
                 Around& around) {
    const Lane& lane = trace.lanes[id];
    const LaneView view(lane);
    std::vector<Nanos> time;
    time.reserve(events.size() + 1);
    for (const uint32_t row : events) time.push_back(trace.memory_events.time[row]);
    time.push_back(kAllTime.end);  // which is in no slice
    for (uint32_t depth = 0; depth < lane.depth_count; ++depth) {
        const Nanos* next = time.data();
        view.visit_row_of_chunks(depth, [&](const Chunk& chunk, uint32_t i) {
            const Nanos start = chunk.start[i];
            while (*next < start) ++next;
            const Nanos end = chunk.end(i);
            if (*next >= end) return;
            const EventClass base = trace.categories[chunk.category[i]].event_class;
            const bool is_module =
                trace.event_class(chunk.name[i], chunk.category[i]) == EventClass::module;
            const SliceRef slice{id, chunk.first + i};
            for (; *next < end; ++next) {
                const uint32_t row = events[static_cast<std::size_t>(next - time.data())];
                around.call[row] = slice;
                if (is_module) around.module[row] = slice;
                if (base == EventClass::op) around.op[row] = slice;
            }
        });
    }
}

Around around_events(const Trace& trace) {
    const MemoryEvents& memory = trace.memory_events;
    std::vector<std::vector<uint32_t>> by_lane(trace.lanes.size());
    for (uint32_t row = 0; row < memory.time.size(); ++row)
        by_lane[memory.lane[row]].push_back(row);
    Around around;
    for (auto* column : {&around.call, &around.op, &around.module})
        column->resize(memory.time.size());
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane)
        if (!by_lane[lane].empty()) look_around(trace, lane, by_lane[lane], around);
    return around;
}

}  // namespace

std::vector<MemoryCurve> memory_curves(const Trace& trace) {
    const MemoryEvents& events = trace.memory_events;
    using Key = std::tuple<uint32_t, int32_t, int32_t>;
    std::map<Key, MemoryCurve> curves;
    auto at = curves.end();  // neighbours are mostly on the same device
    for (uint32_t row = 0; row < events.time.size(); ++row) {
        const Key key(trace.lanes[events.lane[row]].process, events.device_type[row],
                      events.device_id[row]);
        if (at == curves.end() || at->first != key) at = curves.try_emplace(key).first;
        MemoryCurve& curve = at->second;
        const int64_t before = curve.allocated.empty() ? 0 : curve.allocated.back();
        const int64_t total = events.total_allocated[row];
        curve.rows.push_back(row);
        curve.allocated.push_back(total == kNoValue ? before + events.bytes[row] : total);
        curve.reserved.push_back(events.total_reserved[row]);
    }
    std::vector<MemoryCurve> all;
    all.reserve(curves.size());
    for (auto& [key, curve] : curves) {
        std::tie(curve.process, curve.device_type, curve.device_id) = key;
        all.push_back(std::move(curve));
    }
    return all;
}

std::vector<MemoryBlock> memory_blocks(const Trace& trace, std::span<const MemoryCurve> curves) {
    const MemoryEvents& events = trace.memory_events;
    const Around around = around_events(trace);
    std::vector<uint32_t> curve_of(events.time.size());
    for (uint32_t c = 0; c < curves.size(); ++c)
        for (const uint32_t row : curves[c].rows) curve_of[row] = c;
    std::vector<FlatMap<uint32_t>> open(curves.size());  // by address; kNoRow: no longer
    std::vector<MemoryBlock> blocks;
    blocks.reserve(static_cast<std::size_t>(
        std::ranges::count_if(events.bytes, [](int64_t bytes) { return bytes > 0; })));
    for (uint32_t row = 0; row < curve_of.size(); ++row) {
        const uint32_t c = curve_of[row];
        const auto address = static_cast<uint64_t>(events.address[row]);
        uint32_t& block = open[c].try_emplace(address, kNoRow).first;
        if (events.bytes[row] > 0) {
            block = static_cast<uint32_t>(blocks.size());
            blocks.push_back(
                {c, row, kNoRow, around.call[row], around.op[row], around.module[row]});
        } else if (block != kNoRow) {
            blocks[block].freed = row;
            block = kNoRow;
        }
    }
    return blocks;
}

MemoryCurves MemoryCurves::compute(const TraceContext& context) {
    return {memory_curves(context.trace())};
}

MemoryBlocks MemoryBlocks::compute(const TraceContext& context) {
    return {memory_blocks(context.trace(), context.get<MemoryCurves>().all)};
}

}  // namespace lanescope
