// Culls everything but slices: instants become ticks, counters become curves.
#include <algorithm>
#include <cmath>

#include "core/view/row_culler.h"
#include "core/view/time_scale.h"

namespace lanescope {

namespace {

// The first of the ascending times [begin, end) to the right of pixel column `column`, by
// exponential search from `begin`, which is in the column.
const Nanos* end_of_column(const Nanos* begin, const Nanos* end, const TimeScale& scale,
                           double column) {
    const auto left = [&](Nanos t) { return scale.px(t) < column + 1; };
    std::ptrdiff_t step = 1;
    while (step < end - begin && left(begin[step])) {
        begin += step;
        step *= 2;
    }
    return std::partition_point(begin + 1, begin + std::min(step, end - begin), left);
}

}  // namespace

void RowCuller::cull_instants(const CullInput& input, RowItems& row_items) {
    const Instants& instants = *input.index->trace->lanes[row_items.lane].instants;
    const TimeScale scale(input.view);
    const Nanos* first =
        std::lower_bound(instants.time.begin(), instants.time.end(), input.view.range().begin);
    for (auto i = static_cast<std::size_t>(first - instants.time.begin());
         i < instants.time.size();) {
        const double x = scale.px(instants.time[i]);
        if (x >= input.view.width) break;
        const auto next = static_cast<std::size_t>(
            end_of_column(&instants.time[i], instants.time.end(), scale, std::floor(x)) -
            instants.time.begin());
        items.ticks.push_back(
            {static_cast<float>(x), static_cast<uint32_t>(i), static_cast<uint32_t>(next - i),
             input.index->slots().slot_of(instants.name[i], instants.category[i])});
        i = next;
    }
}

void RowCuller::cull_counter(const CullInput& input, RowItems& row_items) {
    const CounterSeries& series = *input.index->trace->lanes[row_items.lane].counter;
    const CounterLevels& levels = input.index->counters[row_items.lane];
    const CounterRange whole = levels.range(series.value, 0, series.value.size());
    if (whole.empty()) return;
    row_items.value_min = std::min(whole.min, 0.0);
    row_items.value_max = std::max(whole.max, 0.0);
    const double height = std::max(row_items.value_max - row_items.value_min, 1e-300);
    const auto level = [&](double value) {
        return static_cast<float>((value - row_items.value_min) / height);
    };
    const auto add = [&](double x, std::size_t begin, std::size_t end) {
        const CounterRange range = levels.range(series.value, begin, end);
        if (range.empty()) return;  // no numbers: the curve stays at its value
        while (!std::isfinite(series.value[end - 1])) --end;
        items.points.push_back({static_cast<float>(x), level(range.min), level(range.max),
                                level(series.value[end - 1])});
    };

    const TimeScale scale(input.view);
    const auto& time = series.time;
    const Nanos* first =
        std::partition_point(time.begin(), time.end(), [&](Nanos t) { return scale.px(t) < 0; });
    auto i = static_cast<std::size_t>(first - time.begin());
    if (i > 0) add(0, i - 1, i);
    while (i < time.size()) {
        const double x = scale.px(time[i]);
        if (x >= input.view.width) break;
        const auto next = static_cast<std::size_t>(
            end_of_column(&time[i], time.end(), scale, std::floor(x)) - time.begin());
        add(x, i, next);
        i = next;
    }
}

}  // namespace lanescope
