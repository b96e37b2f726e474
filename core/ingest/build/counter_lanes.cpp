// Counter lanes: one for each series of counter events, and one for each total of a device's
// "[memory]" events.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "core/ingest/build/finish_trace.h"
#include "core/trace/nesting.h"

namespace lanescope {

namespace {

// Numbers curves by their keys. Consecutive events mostly belong to the same curve, so the map is
// searched only when the key changes.
template <typename Key>
class CurveNumbers {
  public:
    // Calls `add_curve()` if the key is new.
    template <typename AddCurve>
    std::size_t number(const Key& key, const AddCurve& add_curve) {
        if (last_ == no_curve || key != last_key_) {
            const auto [found, is_new] = numbers_.try_emplace(key, numbers_.size());
            if (is_new) add_curve();
            last_ = found->second;
            last_key_ = key;
        }
        return last_;
    }

  private:
    static constexpr std::size_t no_curve = ~std::size_t{0};
    std::map<Key, std::size_t> numbers_;
    Key last_key_{};
    std::size_t last_ = no_curve;
};

// Adds a lane for a series that is filled later.
std::shared_ptr<CounterSeries> add_lane(BuilderState& state, uint32_t process, StringId name) {
    auto series = std::make_shared<CounterSeries>();
    LaneBuild& lane = state.lanes.emplace_back();
    lane.kind = LaneKind::counter;
    lane.process = process;
    lane.name = name;
    lane.counter = series;
    return series;
}

void find_range(CounterSeries& series) {
    series.min = *std::min_element(series.value.begin(), series.value.end());
    series.max = *std::max_element(series.value.begin(), series.value.end());
}

// Fills a series from the rows of one curve, sorted by time and then by file position.
void fill_series(const Column<CounterEvent>& events, const Column<uint32_t>& rows,
                 CounterSeries& series) {
    const std::size_t n = rows.size();
    Column<Nanos> time(n);
    for (std::size_t i = 0; i < n; ++i) time[i] = events[rows[i]].time;
    const Column<uint32_t> order = time_order(time);
    series.time = Column<Nanos>(n);
    series.value = Column<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t from = order.empty() ? i : order[i];
        series.time[i] = time[from];
        series.value[i] = events[rows[from]].value;
    }
    find_range(series);
}

void add_counter_events(BuilderState& state, WorkList& work) {
    struct Curve {
        uint32_t process;
        StringId name;
        std::shared_ptr<Column<uint32_t>> rows;
    };
    std::vector<Curve> curves;
    CurveNumbers<std::tuple<uint32_t, StringId, StringId>> numbers;
    for (uint32_t i = 0; i < state.counters.size(); ++i) {
        const CounterEvent& event = state.counters[i];
        const uint32_t process = state.lanes[event.lane].process;
        const std::size_t curve = numbers.number({process, event.name, event.series}, [&] {
            curves.push_back({process, curve_title(state, event.name, event.series),
                              std::make_shared<Column<uint32_t>>()});
        });
        curves[curve].rows->push_back(i);
    }
    for (const Curve& curve : curves)
        work.add(curve.rows->size(),
                 [&state, rows = curve.rows, series = add_lane(state, curve.process, curve.name)] {
                     fill_series(state.counters, *rows, *series);
                 });
}

// The curves of the totals that the allocator writes into each "[memory]" event.
class MemoryCurves {
  public:
    MemoryCurves(std::string_view what, bool of_cpu, const Column<int64_t> MemoryEvents::*totals)
        : what_(what), of_cpu_(of_cpu), totals_(totals) {}

    // Adds the lanes in file order.
    void add_lanes(BuilderState& state) {
        struct Curve {
            uint32_t process;
            StringId name;
        };
        std::vector<Curve> curves;
        for (uint32_t i = 0; i < state.tables.memory_events.time.size(); ++i) {
            if (!has_value(state.tables.memory_events, i)) continue;
            const MemoryEvents& memory = state.tables.memory_events;
            const Key key = key_of(state, i);
            const std::size_t curve = numbers_.number(key, [&] {
                curves.push_back(
                    {std::get<0>(key),
                     memory_curve_title(state, what_, memory.device_type[i], memory.device_id[i])});
                sizes_.push_back(0);
            });
            ++sizes_[curve];
        }
        for (const Curve& curve : curves)
            series_.push_back(add_lane(state, curve.process, curve.name));
    }

    // Requires events sorted by time.
    void fill(const BuilderState& state) {
        for (std::size_t curve = 0; curve < series_.size(); ++curve) {
            series_[curve]->time.reserve(sizes_[curve]);
            series_[curve]->value.reserve(sizes_[curve]);
        }
        for (uint32_t i = 0; i < state.tables.memory_events.time.size(); ++i) {
            if (!has_value(state.tables.memory_events, i)) continue;
            CounterSeries& series = *series_[numbers_.number(key_of(state, i), [] {})];
            series.time.push_back(state.tables.memory_events.time[i]);
            series.value.push_back(static_cast<double>((state.tables.memory_events.*totals_)[i]));
        }
        for (const auto& series : series_) find_range(*series);
    }

  private:
    using Key = std::tuple<uint32_t /*process*/, int32_t /*device type*/, int32_t /*device*/>;

    bool has_value(const MemoryEvents& memory, uint32_t i) const {
        return (memory.*totals_)[i] != kNoValue && (of_cpu_ || memory.device_type[i] != 0);
    }
    static Key key_of(const BuilderState& state, uint32_t i) {
        const MemoryEvents& memory = state.tables.memory_events;
        return {state.lanes[memory.lane[i]].process, memory.device_type[i], memory.device_id[i]};
    }

    std::string_view what_;
    bool of_cpu_;
    const Column<int64_t> MemoryEvents::*totals_;
    CurveNumbers<Key> numbers_;
    std::vector<std::size_t> sizes_;
    std::vector<std::shared_ptr<CounterSeries>> series_;
};

void add_memory_curves(BuilderState& state, WorkList& work) {
    auto allocated =
        std::make_shared<MemoryCurves>("allocated", true, &MemoryEvents::total_allocated);
    auto reserved =
        std::make_shared<MemoryCurves>("reserved", false, &MemoryEvents::total_reserved);
    allocated->add_lanes(state);
    reserved->add_lanes(state);
    constexpr std::size_t columns = 12;
    work.add(state.tables.memory_events.time.size() * columns, [&state, allocated, reserved] {
        sort_by_time(state.tables.memory_events);
        allocated->fill(state);
        reserved->fill(state);
    });
}

}  // namespace

StringId curve_title(BuilderState& state, StringId counter_id, StringId series_id) {
    const std::string_view series = state.strings[series_id];
    const std::string_view counter = state.strings[counter_id];
    // A series without a name of its own ("", "value") takes its counter's name.
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

void make_counter_lanes(BuilderState& state, WorkList& work) {
    add_counter_events(state, work);
    add_memory_curves(state, work);
}

}  // namespace lanescope
