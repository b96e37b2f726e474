#include "core/view/view_index.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/view/bulk.h"
#include "core/view/first_arrangement.h"

namespace lanescope {

namespace {

constexpr std::size_t kFan = 16;

constexpr CounterRange kEmptyRange = {std::numeric_limits<double>::infinity(),
                                      -std::numeric_limits<double>::infinity()};

// Ignores values that are not numbers.
void widen(CounterRange& range, double value) {
    if (!std::isfinite(value)) return;
    range.min = std::min(range.min, value);
    range.max = std::max(range.max, value);
}

void widen(CounterRange& range, const CounterRange& other) {
    range.min = std::min(range.min, other.min);
    range.max = std::max(range.max, other.max);
}

template <typename Values>
std::vector<CounterRange> summed_up(const Values& values) {
    std::vector<CounterRange> level((values.size() + kFan - 1) / kFan, kEmptyRange);
    for (std::size_t i = 0; i < values.size(); ++i) widen(level[i / kFan], values[i]);
    return level;
}

CounterLevels build_counter_levels(std::span<const double> values) {
    CounterLevels result;
    if (values.size() <= kFan) return result;
    result.levels.push_back(summed_up(values));
    while (result.levels.back().size() > kFan)
        result.levels.push_back(summed_up(result.levels.back()));
    return result;
}

// Widens by the ends of [begin, end) that do not fill a block of the next level; sets `begin` and
// `end` to the blocks between them. False if there are none.
template <typename Values>
bool widen_by_ends(CounterRange& range, const Values& values, std::size_t& begin, std::size_t& end,
                   bool last) {
    const std::size_t first_block = (begin + kFan - 1) / kFan;
    const std::size_t end_block = end / kFan;
    if (last || first_block >= end_block) {
        for (std::size_t i = begin; i < end; ++i) widen(range, values[i]);
        return false;
    }
    for (std::size_t i = begin; i < first_block * kFan; ++i) widen(range, values[i]);
    for (std::size_t i = end_block * kFan; i < end; ++i) widen(range, values[i]);
    begin = first_block;
    end = end_block;
    return true;
}

// The slot of each entry's longest slice; `slots` by index in the chunk.
Column<Slot> slots_of_entries(const DepthRow& row, const Slot* slots) {
    const LevelsOfDetail& levels = row.levels;
    Column<Slot> result(levels.entries.size());
    for (const LevelSection& section : levels.sections)
        for (uint32_t l = section.level_begin; l < section.level_end; ++l)
            for (uint32_t e = levels.levels[l].begin; e < levels.levels[l].end; ++e)
                result[e] = slots[row.begin + section.begin + levels.entries[e].longest];
    return result;
}

LaneSlots slots_of_lane(const Lane& lane, const ShownLane* shown, const Column<Slot>& of_slice) {
    LaneSlots result;
    const Slot* slots = of_slice.data();
    if (shown) {
        result.part = Column<Slot>(shown->to_trace.size());
        for (std::size_t i = 0; i < shown->to_trace.size(); ++i)
            result.part[i] = of_slice[shown->to_trace[i]];
        slots = result.part.data();
    }
    for (const auto& chunk : (shown ? shown->lane : lane).chunks) {
        auto& of_chunk = result.chunks.emplace_back();
        of_chunk.of_slice = slots + chunk->first;
        for (const DepthRow& row : chunk->rows)
            of_chunk.of_entry.push_back(slots_of_entries(row, of_chunk.of_slice));
    }
    return result;
}

}  // namespace

CounterRange CounterLevels::range(std::span<const double> values, std::size_t begin,
                                  std::size_t end) const {
    CounterRange result = kEmptyRange;
    bool more = widen_by_ends(result, values, begin, end, levels.empty());
    for (std::size_t level = 0; more; ++level)
        more = widen_by_ends(result, levels[level], begin, end, level + 1 == levels.size());
    return result;
}

ViewIndexPtr build_view_index(TracePtr trace, std::optional<LaneFilter> filter) {
    auto index = std::make_shared<ViewIndex>();
    index->classes = classify_by_category(*trace);
    for (const Lane& lane : trace->lanes) {
        auto& levels = index->counters.emplace_back();
        if (lane.counter) levels = build_counter_levels(lane.counter->value.span());
    }
    index->first = std::make_shared<const LaneArrangement>(first_arrangement(*trace));
    index->shown = filter_lanes(*trace, filter.value_or(index->first->filter));
    index->bulk = bulk_of(*trace);
    index->trace = std::move(trace);
    return index;
}

ViewIndexPtr with_classes(const ViewIndex& index, SliceClassesPtr classes) {
    auto result = std::make_shared<ViewIndex>();
    result->trace = index.trace;
    result->first = index.first;
    result->shown = index.shown;
    result->bulk = index.bulk;
    result->counters = index.counters;
    const Trace& trace = *index.trace;
    if (!classes->of_slice.empty()) result->lane_slots.resize(trace.lanes.size());
    for (LaneId lane = 0; lane < result->lane_slots.size(); ++lane)
        if (!classes->of_slice[lane].empty())
            result->lane_slots[lane] = slots_of_lane(
                trace.lanes[lane], index.shown ? index.shown->lanes[lane].get() : nullptr,
                classes->of_slice[lane]);
    result->classes = std::move(classes);
    return result;
}

}  // namespace lanescope
