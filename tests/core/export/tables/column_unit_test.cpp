#include "core/export/tables/column_unit.h"

#include <doctest/doctest.h>

#include <vector>

namespace lanescope {

namespace {

struct UnitRow {
    std::optional<int64_t> time;
    double mean = 0;
};
constexpr auto kUnitColumns = columns<UnitRow>({
    {{"time_ns", Unit::nanoseconds, kSum, "not measured", "A time."},
     [](const UnitRow& row) { return row.time; }},
    {{"size_bytes", Unit::bytes, kSum, "not measured", "A size."},
     [](const UnitRow& row) { return row.time; }},
    {{"work", Unit::flop, kSum, "not measured", "Work."},
     [](const UnitRow& row) { return row.time; }},
    {{"mean_ns", Unit::nanoseconds, kNoAggregate, "", "A mean."},
     [](const UnitRow& row) { return row.mean; }},
    {{"count", Unit::count, kSum, "not measured", "A number."},
     [](const UnitRow& row) { return row.time; }},
});
constexpr TableOf<UnitRow> kUnitTable = {{"values", "For tests."}, kUnitColumns};

Table unit_table(const std::vector<UnitRow>& rows) {
    TableBuilder<UnitRow> table(kUnitTable);
    for (const UnitRow& row : rows) table.add(row);
    return table.take();
}

std::vector<std::string> formatted(const Table& table, std::size_t column) {
    const auto unit = common_unit(table, column);
    REQUIRE(unit);
    std::vector<std::string> cells;
    for (std::size_t row = 0; row < table.row_count(); ++row)
        cells.push_back(format_in(*unit, table.cell(row, column)));
    return cells;
}

using TextList = std::vector<std::string>;

}  // namespace

TEST_CASE("all values of a column share the unit that suits most of them") {
    CHECK(formatted(unit_table({{4'426'000}, {2'312'000}, {900'000}}), 0) ==
          TextList{"4.426 ms", "2.312 ms", "0.900 ms"});
    CHECK(formatted(unit_table({{61'000'000}, {41'280}, {9'352}}), 0) ==
          TextList{"61\u2009000.0 µs", "41.3 µs", "9.4 µs"});
    CHECK(formatted(unit_table({{-1'500}, {std::nullopt}, {0}}), 0) ==
          TextList{"-1.500 µs", "–", "0 µs"});
    CHECK(formatted(unit_table({{3 << 20}, {100}}), 1) == TextList{"3.000 MiB", "< 0.001 MiB"});
    CHECK(formatted(unit_table({{2'500'000'000}, {0}}), 2) == TextList{"2.500 GFLOP", "0 GFLOP"});
}

TEST_CASE("whole nanoseconds have no decimals, fractions do") {
    CHECK(formatted(unit_table({{999}, {2}}), 0) == TextList{"999 ns", "2 ns"});
    CHECK(formatted(unit_table({{1, 12.25}, {1, 7.5}}), 3) == TextList{"12.25 ns", "7.50 ns"});
}

TEST_CASE("columns of counts or without values have no common unit") {
    CHECK_FALSE(common_unit(unit_table({{5}}), 4));
    CHECK_FALSE(common_unit(unit_table({}), 0));
    CHECK_FALSE(common_unit(unit_table({{0}, {std::nullopt}}), 0));
}

}  // namespace lanescope
