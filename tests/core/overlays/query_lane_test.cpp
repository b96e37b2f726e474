#include "core/overlays/query_lane.h"

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <string_view>
#include <vector>

using namespace lanescope;

namespace {

struct Row {
    std::optional<int64_t> ts;
    std::optional<int64_t> dur;
    std::string_view name;
    double value = 0;
};
constexpr ColumnText text(std::string_view key) {
    return {key, Unit::none, kNoAggregate, "", "A column."};
}
constexpr ColumnText optional_text(std::string_view key) {
    return {key, Unit::none, kNoAggregate, "nothing", "A column."};
}
constexpr auto kSliceColumns = columns<Row>({
    {optional_text("ts"), [](const Row& row) { return row.ts; }},
    {optional_text("dur"), [](const Row& row) { return row.dur; }},
    {text("name"), [](const Row& row) { return row.name; }},
});
constexpr auto kCounterColumns = columns<Row>({
    {optional_text("ts"), [](const Row& row) { return row.ts; }},
    {text("value"), [](const Row& row) { return row.value; }},
});
constexpr auto kOtherColumns = columns<Row>({
    {text("ts"), [](const Row& row) { return row.value; }},
    {optional_text("dur"), [](const Row& row) { return row.dur; }},
    {text("name"), [](const Row& row) { return row.name; }},
});
constexpr auto kNumberedColumns = columns<Row>({
    {optional_text("ts"), [](const Row& row) { return row.ts; }},
    {optional_text("dur"), [](const Row& row) { return row.dur; }},
    {text("name"), [](const Row& row) { return row.value; }},
});
constexpr TableOf<Row> kNumbered = {{"query", "Rows."}, kNumberedColumns};
constexpr TableOf<Row> kSlices = {{"query", "Rows."}, kSliceColumns};
constexpr TableOf<Row> kCounter = {{"query", "Rows."}, kCounterColumns};
constexpr TableOf<Row> kOther = {{"query", "Rows."}, kOtherColumns};

constexpr TimeRange kSpan{0, 1000};

QueryLanePtr lane_of(const TableOf<Row>& spec, const std::vector<Row>& rows) {
    TableBuilder<Row> table(spec);
    for (const Row& row : rows) table.add(row);
    return make_query_lane(table.take(), "SQL 1", kSpan);
}

}  // namespace

TEST_CASE("The columns of a query say what its rows can become") {
    CHECK(query_lane_kind(kSlices) == QueryLaneKind::slices);
    CHECK(query_lane_kind(kCounter) == QueryLaneKind::counter);
    // A column of reals cannot be `ts`.
    CHECK(query_lane_kind(kOther) == QueryLaneKind::none);
}

TEST_CASE("A slice that is named by a number has the number as the command line prints it") {
    Row row{0, 10, ""};
    row.value = 0.5;
    const QueryLanePtr lane = lane_of(kNumbered, {row});
    REQUIRE(lane);
    CHECK(lane->names == std::vector<std::string>{"0.5"});
}

TEST_CASE("Slices of a query that overlap are below each other") {
    const QueryLanePtr lane = lane_of(kSlices, {{50, 10, "later"},
                                                {0, 40, "outer"},
                                                {10, 10, "inner"},
                                                {20, 10, "inner"},
                                                {35, 10, "across"},
                                                {0, 5, "first"}});
    REQUIRE(lane);
    CHECK(lane->kind == QueryLaneKind::slices);
    CHECK(lane->name == "SQL 1");
    CHECK(lane->shown == 6);
    CHECK(lane->left_out == 0);
    REQUIRE(lane->depths.size() == 2);
    const auto names = [&](std::size_t depth) {
        std::string all;
        for (const QuerySlice& slice : lane->depths[depth]) all += lane->names[slice.name] + " ";
        return all;
    };
    CHECK(names(0) == "outer later ");
    CHECK(names(1) == "first inner inner across ");
    CHECK(lane->names.size() == 5);
    for (const auto& depth : lane->depths)
        for (std::size_t i = 1; i < depth.size(); ++i)
            CHECK(depth[i - 1].range.end <= depth[i].range.begin);
    CHECK(lane->first_after(0, -1) == 0);
    CHECK(lane->first_after(0, 39) == 0);
    CHECK(lane->first_after(0, 40) == 1);
    CHECK(lane->first_after(0, 60) == 2);
}

TEST_CASE("Rows without a time of the trace are left out of a lane, and counted") {
    const int64_t most = std::numeric_limits<int64_t>::max();
    const QueryLanePtr lane = lane_of(kSlices, {{std::nullopt, 1, "a"},
                                                {-1, 1, "a"},
                                                {1001, 1, "a"},
                                                {5, most, "a"},
                                                {most, most, "a"},
                                                {7, std::nullopt, "point"},
                                                {7, -3, "point"},
                                                {1000, 0, "end"}});
    REQUIRE(lane);
    CHECK(lane->left_out == 5);
    CHECK(lane->shown == 3);
    // Two points at the same time do not cover each other.
    REQUIRE(lane->depths.size() == 2);
    CHECK(lane->depths[1][0].range.begin == 7);
    CHECK(lane->depths[1][0].range.end == 7);
    CHECK(!lane_of(kSlices, {{std::nullopt, 1, "a"}}));
    CHECK(!lane_of(kSlices, {}));
    CHECK(!lane_of(kOther, {{1, 1, "a"}}));
}

TEST_CASE("A lane has a limited number of rows below each other") {
    std::vector<Row> rows(kMostQueryDepths + 10, Row{1, 100, "same"});
    const QueryLanePtr lane = lane_of(kSlices, rows);
    REQUIRE(lane);
    CHECK(lane->depths.size() == kMostQueryDepths);
    CHECK(lane->left_out == 10);
    CHECK(lane->shown == kMostQueryDepths);
}

TEST_CASE("A counter of a query holds each value until the next") {
    const double unknown = std::numeric_limits<double>::quiet_NaN();
    const QueryLanePtr lane = lane_of(
        kCounter, {{30, {}, {}, -2.5}, {10, {}, {}, 4}, {20, {}, {}, unknown}, {-5, {}, {}, 99}});
    REQUIRE(lane);
    CHECK(lane->kind == QueryLaneKind::counter);
    CHECK(lane->shown == 2);
    CHECK(lane->left_out == 2);
    CHECK(lane->min == -2.5);
    CHECK(lane->max == 4);
    CHECK(!lane->value_at(9));
    CHECK(lane->value_at(10) == 4);
    CHECK(lane->value_at(29) == 4);
    CHECK(lane->value_at(500) == -2.5);
}
