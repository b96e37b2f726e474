#include "core/export/traces/trace_selection.h"

#include <algorithm>

#include "core/analysis/memory/memory_blocks.h"
#include "core/trace/query.h"

namespace lanescope {

MemoryRows memory_rows(const Trace& trace) {
    const MemoryEvents& memory = trace.memory_events;
    std::map<LaneId, std::vector<uint32_t>> by_lane;
    for (uint32_t row = 0; row < memory.time.size(); ++row)
        by_lane[memory.lane[row]].push_back(row);
    MemoryRows rows;
    for (const auto& [lane, of_lane] : by_lane) {
        const Instants* instants = trace.lanes[lane].instants.get();
        std::size_t next = 0;
        for (uint32_t i = 0; instants && i < instants->time.size(); ++i) {
            if (trace.strings[instants->name[i]] != "[memory]") continue;
            if (next < of_lane.size()) rows[{lane, i}] = of_lane[next++];
        }
    }
    return rows;
}

namespace {

bool has_recorded_point(const Trace& trace, TimeRange range) {
    return std::ranges::any_of(trace.lanes, [&](const Lane& lane) {
        if (!lane.counter || lane.derived) return false;
        const auto first = std::ranges::lower_bound(lane.counter->time, range.begin);
        return first != lane.counter->time.end() && *first < range.end;
    });
}

}  // namespace

TraceSelection TraceSelection::in_range(const TraceContext& context, TimeRange range) {
    const Trace& trace = context.trace();
    TraceSelection selection;
    selection.range_ = range;
    selection.slices_.resize(trace.lanes.size());
    selection.instants_.resize(trace.lanes.size());
    selection.add_slices(trace);
    const auto has_none = [](const std::vector<bool>& events) {
        return std::ranges::find(events, true) == events.end();
    };
    selection.is_empty_ = std::ranges::all_of(selection.slices_, has_none) &&
                          std::ranges::all_of(selection.instants_, has_none) &&
                          !has_recorded_point(trace, range);
    selection.add_neighbours(trace);
    selection.add_work(trace);
    selection.add_memory(context);
    return selection;
}

std::pair<std::size_t, std::size_t> TraceSelection::points(const CounterSeries& curve) const {
    if (slices_.empty()) return {0, curve.time.size()};
    const auto begin = std::ranges::upper_bound(curve.time, range_.begin);
    const auto end = std::ranges::lower_bound(curve.time, range_.end);
    const auto first = begin - curve.time.begin();
    const auto last = end - curve.time.begin();
    // The point at or before the begin gives the value there.
    return {static_cast<std::size_t>(std::max<std::ptrdiff_t>(first - 1, 0)),
            static_cast<std::size_t>(std::max(first, last))};
}

void TraceSelection::add_slices(const Trace& trace) {
    for (LaneId id = 0; id < trace.lanes.size(); ++id) {
        const Lane& lane = trace.lanes[id];
        slices_[id].resize(lane.slice_count);
        for (const auto& chunk : lane.chunks)
            for (uint32_t i = 0; i < chunk->size(); ++i) {
                const Nanos start = chunk->start[i];
                slices_[id][chunk->first + i] =
                    start < range_.end && (start >= range_.begin || chunk->end(i) > range_.begin);
            }
        if (!lane.instants) continue;
        instants_[id].resize(lane.instants->time.size());
        for (uint32_t i = 0; i < lane.instants->time.size(); ++i) {
            const Nanos time = lane.instants->time[i];
            instants_[id][i] = time >= range_.begin && time < range_.end;
        }
    }
}

// The activities next to the range on each stream, between which it may have been idle.
void TraceSelection::add_neighbours(const Trace& trace) {
    std::map<LaneId, std::pair<SliceRef, SliceRef>> by_lane;
    for (const SliceRef slice : trace.gpu_activities.slice) {
        auto& [before, after] = by_lane[slice.lane];
        const Nanos end = trace.slice_end(slice);
        const Nanos start = trace.start(slice);
        if (end <= range_.begin && (!before || end > trace.slice_end(before))) before = slice;
        if (start >= range_.end && (!after || start < trace.start(after))) after = slice;
    }
    for (const auto& [lane, neighbours] : by_lane)
        for (const SliceRef slice : {neighbours.first, neighbours.second})
            if (slice) add_with_callers(trace, slice);
}

void TraceSelection::add_work(const Trace& trace) {
    const auto begins_inside = [&](SliceRef slice) {
        const Nanos start = trace.start(slice);
        return start >= range_.begin && start < range_.end;
    };
    for (const Link& link : trace.links)
        if (link.kind == LinkKind::launch && begins_inside(link.from))
            add_with_callers(trace, link.to);
    for (const Link& link : trace.links)
        if (link.kind == LinkKind::launch && holds(link.to)) add_with_callers(trace, link.from);
}

void TraceSelection::add_memory(const TraceContext& context) {
    const Trace& trace = context.trace();
    const MemoryEvents& memory = trace.memory_events;
    if (memory.time.empty()) return;
    std::vector<bool> rows(memory.time.size());
    const auto add_last_before = [&](const MemoryCurve& curve) {
        const auto next = std::ranges::lower_bound(curve.rows, range_.begin, {},
                                                   [&](uint32_t row) { return memory.time[row]; });
        if (next != curve.rows.begin()) rows[*(next - 1)] = true;
    };
    for (const MemoryCurve& curve : context.get<MemoryCurves>().all) add_last_before(curve);
    for (const MemoryBlock& block : context.get<MemoryBlocks>().all) {
        const bool before = memory.time[block.allocated] < range_.begin;
        const bool held = block.freed == kNoRow || memory.time[block.freed] >= range_.begin;
        if (!before || !held) continue;
        rows[block.allocated] = true;
        if (block.call) add_with_callers(trace, block.call);
    }
    for (const auto& [place, row] : memory_rows(trace))
        if (rows[row]) instants_[place.first][place.second] = true;
}

void TraceSelection::add_with_callers(const Trace& trace, SliceRef slice) {
    slices_[slice.lane][slice.index] = true;
    // A selected slice may have callers that are not: it overlaps the range, they do not.
    for (SliceRef caller = parent_of(trace, slice); caller; caller = parent_of(trace, caller))
        slices_[caller.lane][caller.index] = true;
}

}  // namespace lanescope
