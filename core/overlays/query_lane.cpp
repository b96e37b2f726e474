#include "core/overlays/query_lane.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

namespace lanescope {

namespace {

// Returns the column with this key, if its values are whole numbers, or reals where they are
// allowed.
std::optional<std::size_t> column_of_type(const TableSpec& spec, std::string_view key,
                                          bool reals_too) {
    const auto column = find_column(spec, key);
    if (!column) return std::nullopt;
    const ValueType type = spec.columns[*column].type;
    const bool usable = type == ValueType::integer || (reals_too && type == ValueType::real);
    return usable ? column : std::nullopt;
}

std::optional<int64_t> integer_in(const Table& table, std::size_t row, std::size_t column) {
    const Cell cell = table.cell(row, column);
    const auto* const value = std::get_if<int64_t>(&cell);
    return value ? std::optional(*value) : std::nullopt;
}

std::optional<double> number_in(const Table& table, std::size_t row, std::size_t column) {
    const Cell cell = table.cell(row, column);
    if (const auto* const whole = std::get_if<int64_t>(&cell)) return static_cast<double>(*whole);
    const auto* const real = std::get_if<double>(&cell);
    return real && std::isfinite(*real) ? std::optional(*real) : std::nullopt;
}

// A number or an unknown value has the text that the command line prints for it.
std::string name_in(const Table& table, std::size_t row, std::size_t column) {
    const Cell cell = table.cell(row, column);
    if (const auto* const text = std::get_if<std::string_view>(&cell)) return std::string(*text);
    if (const auto* const whole = std::get_if<int64_t>(&cell)) return std::to_string(*whole);
    if (const auto* const real = std::get_if<double>(&cell)) return fmt::format("{}", *real);
    return "null";
}

// Puts each slice at the first depth whose last slice has ended.
void nest_slices(std::vector<QuerySlice> slices, QueryLane& lane) {
    std::ranges::sort(slices, [](const QuerySlice& a, const QuerySlice& b) {
        if (a.range.begin != b.range.begin) return a.range.begin < b.range.begin;
        return a.range.end > b.range.end;
    });
    for (const QuerySlice& slice : slices) {
        const auto free = std::ranges::find_if(lane.depths, [&](const auto& depth) {
            const TimeRange last = depth.back().range;
            // Two slices without a duration at the same time do not share a depth.
            return last.end <= slice.range.begin && last.begin < slice.range.begin;
        });
        if (free != lane.depths.end()) {
            free->push_back(slice);
        } else if (lane.depths.size() < kMostQueryDepths) {
            lane.depths.push_back({slice});
        } else {
            ++lane.left_out;
            continue;
        }
        ++lane.shown;
    }
}

void add_slices(const Table& table, TimeRange span, QueryLane& lane) {
    const std::size_t ts = *find_column(table.spec(), "ts");
    const std::size_t dur = *find_column(table.spec(), "dur");
    const std::size_t name = *find_column(table.spec(), "name");
    std::map<std::string, uint32_t> known;
    std::vector<QuerySlice> slices;
    for (std::size_t row = 0; row < table.row_count(); ++row) {
        const std::optional<int64_t> begin = integer_in(table, row, ts);
        const std::optional<int64_t> length = integer_in(table, row, dur);
        if (!begin || *begin < span.begin || *begin > span.end ||
            length.value_or(0) > span.length()) {
            ++lane.left_out;
            continue;
        }
        std::string text = name_in(table, row, name);
        const auto [at, is_new] = known.try_emplace(text, static_cast<uint32_t>(lane.names.size()));
        if (is_new) lane.names.push_back(std::move(text));
        const Nanos end = *begin + std::max<Nanos>(0, length.value_or(0));
        slices.push_back({{*begin, end}, at->second});
    }
    nest_slices(std::move(slices), lane);
}

void add_samples(const Table& table, TimeRange span, QueryLane& lane) {
    const std::size_t ts = *find_column(table.spec(), "ts");
    const std::size_t value = *find_column(table.spec(), "value");
    std::vector<std::pair<Nanos, double>> samples;
    for (std::size_t row = 0; row < table.row_count(); ++row) {
        const std::optional<int64_t> time = integer_in(table, row, ts);
        const std::optional<double> number = number_in(table, row, value);
        if (time && number && *time >= span.begin && *time <= span.end)
            samples.emplace_back(*time, *number);
        else
            ++lane.left_out;
    }
    std::ranges::stable_sort(samples, {}, &std::pair<Nanos, double>::first);
    for (const auto& [time, number] : samples) {
        lane.min = lane.times.empty() ? number : std::min(lane.min, number);
        lane.max = lane.times.empty() ? number : std::max(lane.max, number);
        lane.times.push_back(time);
        lane.values.push_back(number);
    }
    lane.shown = samples.size();
}

}  // namespace

QueryLaneKind query_lane_kind(const TableSpec& spec) {
    if (!column_of_type(spec, "ts", false)) return QueryLaneKind::none;
    if (column_of_type(spec, "dur", false) && find_column(spec, "name"))
        return QueryLaneKind::slices;
    return column_of_type(spec, "value", true) ? QueryLaneKind::counter : QueryLaneKind::none;
}

std::size_t QueryLane::first_after(std::size_t depth, Nanos time) const {
    const auto after = std::ranges::partition_point(
        depths[depth], [&](const QuerySlice& slice) { return slice.range.end <= time; });
    return static_cast<std::size_t>(after - depths[depth].begin());
}

std::optional<double> QueryLane::value_at(Nanos time) const {
    const auto after = std::ranges::upper_bound(times, time);
    if (after == times.begin()) return std::nullopt;
    return values[static_cast<std::size_t>(after - times.begin()) - 1];
}

QueryLanePtr make_query_lane(const Table& table, std::string name, TimeRange span) {
    auto lane = std::make_shared<QueryLane>();
    lane->name = std::move(name);
    lane->kind = query_lane_kind(table.spec());
    if (lane->kind == QueryLaneKind::slices) add_slices(table, span, *lane);
    if (lane->kind == QueryLaneKind::counter) add_samples(table, span, *lane);
    return lane->shown == 0 ? nullptr : lane;
}

}  // namespace lanescope
