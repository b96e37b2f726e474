#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "core/ingest/finish_trace.h"

namespace lanescope {

namespace {

struct Point {
    Nanos time;
    double value;
};

// `points` in the order of the file.
void add_curve(BuilderState& state, StringId pid, StringId name, std::vector<Point> points) {
    const auto before = [](const Point& a, const Point& b) { return a.time < b.time; };
    if (!std::is_sorted(points.begin(), points.end(), before))
        std::stable_sort(points.begin(), points.end(), before);
    auto series = std::make_shared<CounterSeries>();
    series->min = series->max = points.front().value;
    for (const Point& point : points) {
        series->time.push_back(point.time);
        series->value.push_back(point.value);
        series->min = std::min(series->min, point.value);
        series->max = std::max(series->max, point.value);
    }
    LaneBuild& lane = state.lanes.emplace_back();
    lane.kind = LaneKind::counter;
    lane.pid = pid;
    lane.name = name;
    lane.counter = std::move(series);
}

void add_counter_events(BuilderState& state) {
    std::map<std::tuple<StringId, StringId, StringId>, std::vector<Point>> curves;
    for (const CounterEvent& event : state.counters)
        curves[{state.lanes[event.lane].pid, event.name, event.series}].push_back(
            {event.time, event.value});
    for (auto& [key, points] : curves) {
        const auto [pid, name, series] = key;
        const std::string_view series_name = state.strings[series];
        const std::string_view counter_name = state.strings[name];
        // A series without a name of its own ("", "value") goes by its counter's.
        const bool named =
            !series_name.empty() && series_name != "value" && series_name != counter_name;
        const std::string title =
            named ? fmt::format("{} · {}", counter_name, series_name) : std::string(counter_name);
        add_curve(state, pid, state.strings.intern(title), std::move(points));
    }
    state.counters = {};
}

// "[memory]" events carry the allocator's totals after each of them.
void add_memory_curves(BuilderState& state) {
    const MemoryEvents& memory = state.memory;
    std::map<std::tuple<StringId, int32_t, int32_t, bool /*reserved*/>, std::vector<Point>> curves;
    for (std::size_t i = 0; i < memory.time.size(); ++i) {
        const StringId pid = state.lanes[memory.lane[i]].pid;
        const auto add = [&](int64_t total, bool reserved) {
            if (total == kNoValue) return;
            curves[{pid, memory.device_type[i], memory.device_id[i], reserved}].push_back(
                {memory.time[i], static_cast<double>(total)});
        };
        add(memory.total_allocated[i], false);
        if (memory.device_type[i] != 0) add(memory.total_reserved[i], true);
    }
    for (auto& [key, points] : curves) {
        const auto [pid, type, device, reserved] = key;
        const std::string title = fmt::format("memory {} · {}", reserved ? "reserved" : "allocated",
                                              type == 0 ? "CPU" : fmt::format("GPU {}", device));
        add_curve(state, pid, state.strings.intern(title), std::move(points));
    }
}

}  // namespace

void make_counter_lanes(BuilderState& state) {
    add_counter_events(state);
    add_memory_curves(state);
}

}  // namespace lanescope
