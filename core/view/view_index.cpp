#include "core/view/view_index.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lanescope {

namespace {

constexpr std::size_t kFan = 64;

constexpr CounterRange kNothing = {std::numeric_limits<double>::infinity(),
                                   -std::numeric_limits<double>::infinity()};

// Values that are not numbers are left out.
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
    std::vector<CounterRange> level((values.size() + kFan - 1) / kFan, kNothing);
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

// Widens by the ends of [begin, end) that do not fill a block of the next level, and leaves in
// `begin` and `end` the blocks between. False: there are none.
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

SlotTable build_slot_table(const Trace& trace, ColorMode mode) {
    SlotTable table;
    table.mode = mode;
    for (const Category& category : trace.categories)
        table.class_of_category.push_back(category.event_class);
    table.name_traits = trace.name_traits;
    if (mode == ColorMode::name) {
        table.hue_of_name.resize(trace.strings.size());
        for (StringId name = 0; name < trace.strings.size(); ++name)
            table.hue_of_name[name] = static_cast<Slot>(hash_text(trace.strings[name]) % kHues);
    }
    return table;
}

}  // namespace

CounterRange CounterLevels::range(std::span<const double> values, std::size_t begin,
                                  std::size_t end) const {
    CounterRange result = kNothing;
    bool more = widen_by_ends(result, values, begin, end, levels.empty());
    for (std::size_t level = 0; more; ++level)
        more = widen_by_ends(result, levels[level], begin, end, level + 1 == levels.size());
    return result;
}

ViewIndexPtr build_view_index(TracePtr trace, ColorMode mode, LaneFilter filter) {
    auto index = std::make_shared<ViewIndex>();
    index->slots = build_slot_table(*trace, mode);
    for (const Lane& lane : trace->lanes) {
        auto& levels = index->counters.emplace_back();
        if (lane.counter) levels = build_counter_levels(lane.counter->value.span());
    }
    index->shown = filter_lanes(*trace, filter);
    index->trace = std::move(trace);
    return index;
}

}  // namespace lanescope
