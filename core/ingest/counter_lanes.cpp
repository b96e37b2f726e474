// Curves: one lane for each series of counter events, and for each device's totals of "[memory]"
// events.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "core/base/parallel.h"
#include "core/ingest/finish_trace.h"
#include "core/trace/nesting.h"

namespace lanescope {

namespace {

// The rows of events that make up one curve.
struct Curve {
    StringId pid = 0;
    StringId name = 0;
    Column<uint32_t> rows;
};

// Events of one curve mostly follow each other: asks the map only when the key changes.
template <typename Key>
class CurvesByKey {
  public:
    explicit CurvesByKey(std::vector<Curve>& curves) : curves_(curves) {}

    template <typename MakeCurve>
    void add(const Key& key, uint32_t row, const MakeCurve& make_curve) {
        if (last_ == no_curve || key != last_key_) {
            const auto [found, is_new] = index_of_.try_emplace(key, curves_.size());
            if (is_new) curves_.push_back(make_curve());
            last_ = found->second;
            last_key_ = key;
        }
        curves_[last_].rows.push_back(row);
    }

  private:
    static constexpr std::size_t no_curve = ~std::size_t{0};
    std::vector<Curve>& curves_;
    std::map<Key, std::size_t> index_of_;
    Key last_key_{};
    std::size_t last_ = no_curve;
};

// Fills a series from the rows of a curve, in order of time, and in the order of the file among
// equals.
template <typename TimeOf, typename ValueOf>
std::shared_ptr<const CounterSeries> make_series(const Curve& curve, TimeOf time_of,
                                                 ValueOf value_of) {
    auto series = std::make_shared<CounterSeries>();
    const std::size_t n = curve.rows.size();
    Column<Nanos> time(n);
    Column<Nanos> no_duration(n);
    for (std::size_t i = 0; i < n; ++i) {
        time[i] = time_of(curve.rows[i]);
        no_duration[i] = 0;
    }
    const Column<uint32_t> order = time_order(time, no_duration);
    series->time = Column<Nanos>(n);
    series->value = Column<double>(n);
    series->min = series->max = value_of(curve.rows[0]);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t from = order.empty() ? i : order[i];
        series->time[i] = time[from];
        series->value[i] = value_of(curve.rows[from]);
        series->min = std::min(series->min, series->value[i]);
        series->max = std::max(series->max, series->value[i]);
    }
    return series;
}

// `value_of(curve, row)`.
template <typename TimeOf, typename ValueOf>
void add_lanes(BuilderState& state, const std::vector<Curve>& curves, unsigned workers,
               TimeOf time_of, ValueOf value_of) {
    const std::size_t first = state.lanes.size();
    for (const Curve& curve : curves) {
        LaneBuild& lane = state.lanes.emplace_back();
        lane.kind = LaneKind::counter;
        lane.pid = curve.pid;
        lane.name = curve.name;
    }
    parallel_for(workers, curves.size(), [&](std::size_t i) {
        state.lanes[first + i].counter =
            make_series(curves[i], time_of, [&](uint32_t row) { return value_of(i, row); });
    });
}

void add_counter_events(BuilderState& state, unsigned workers) {
    const Column<CounterEvent> events = std::move(state.counters);
    state.counters = {};
    std::vector<Curve> curves;
    CurvesByKey<std::tuple<StringId, StringId, StringId>> by_key(curves);
    for (uint32_t i = 0; i < events.size(); ++i) {
        const CounterEvent& event = events[i];
        const StringId pid = state.lanes[event.lane].pid;
        by_key.add({pid, event.name, event.series}, i, [&]() -> Curve {
            return {pid, curve_title(state, event.name, event.series), {}};
        });
    }
    add_lanes(
        state, curves, workers, [&](uint32_t row) { return events[row].time; },
        [&](std::size_t, uint32_t row) { return events[row].value; });
}

// "[memory]" events carry the allocator's totals after each of them.
void find_memory_curves(BuilderState& state, const Column<int64_t>& totals, std::string_view what,
                        bool of_cpu, std::vector<Curve>& curves) {
    const MemoryEvents& memory = state.memory;
    CurvesByKey<std::tuple<StringId, int32_t, int32_t>> by_key(curves);
    for (uint32_t i = 0; i < totals.size(); ++i) {
        const int32_t type = memory.device_type[i];
        if (totals[i] == kNoValue || (type == 0 && !of_cpu)) continue;
        const StringId pid = state.lanes[memory.lane[i]].pid;
        by_key.add({pid, type, memory.device_id[i]}, i, [&]() -> Curve {
            return {pid, memory_curve_title(state, what, type, memory.device_id[i]), {}};
        });
    }
}

void add_memory_curves(BuilderState& state, unsigned workers) {
    const MemoryEvents& memory = state.memory;
    std::vector<Curve> curves;
    find_memory_curves(state, memory.total_allocated, "allocated", true, curves);
    const std::size_t allocated = curves.size();
    find_memory_curves(state, memory.total_reserved, "reserved", false, curves);
    add_lanes(
        state, curves, workers, [&](uint32_t row) { return memory.time[row]; },
        [&](std::size_t curve, uint32_t row) {
            return static_cast<double>(curve < allocated ? memory.total_allocated[row]
                                                         : memory.total_reserved[row]);
        });
}

}  // namespace

StringId curve_title(BuilderState& state, StringId counter_id, StringId series_id) {
    const std::string_view series = state.strings[series_id];
    const std::string_view counter = state.strings[counter_id];
    // A series without a name of its own ("", "value") goes by its counter's.
    const bool named = !series.empty() && series != "value" && series != counter;
    const std::string title =
        named ? fmt::format("{} · {}", counter, series) : std::string(counter);
    return state.strings.intern(title);
}

StringId memory_curve_title(BuilderState& state, std::string_view what, int32_t device_type,
                            int32_t device) {
    const std::string name = device_type == 0 ? "CPU" : fmt::format("GPU {}", device);
    return state.strings.intern(fmt::format("memory {} · {}", what, name));
}

void make_counter_lanes(BuilderState& state, unsigned workers) {
    add_counter_events(state, workers);
    add_memory_curves(state, workers);
}

}  // namespace lanescope
