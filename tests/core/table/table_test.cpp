#include "core/table/table.h"

#include <doctest/doctest.h>

#include <array>
#include <string_view>
#include <vector>

namespace lanescope {

namespace {

constexpr std::array kColumns = {
    ColumnSpec{"name", ValueType::text, Unit::none, "", "A name."},
    ColumnSpec{"total_ns", ValueType::integer, Unit::nanoseconds, "not measured", "A time."},
};
const TableSpec kSpec = {"sample", "For tests.", kColumns};

Table sample() {
    Table table(kSpec);
    table.add_row({"b", int64_t{20}});
    table.add_row({"unknown", Cell()});
    table.add_row({"a", int64_t{20}});
    table.add_row({"c", int64_t{300}});
    return table;
}

std::string names(const Table& table) {
    std::string out;
    for (std::size_t r = 0; r < table.row_count(); ++r)
        out += (r > 0 ? " " : "") + std::string(std::get<std::string_view>(table.cell(r, 0)));
    return out;
}

// The rows of sample(), computed on demand.
Table sample_on_demand() {
    static constexpr std::array<std::string_view, 4> names_of = {"b", "unknown", "a", "c"};
    static constexpr std::array<int64_t, 4> totals = {20, -1, 20, 300};
    return Table(kSpec, {{0, 1, 2, 3},
                         {[](uint32_t i) { return names_of[i]; },
                          [](uint32_t i) { return totals[i] < 0 ? Cell() : Cell(totals[i]); }},
                         [](uint32_t i) {
                             return RowTarget{{}, {i, i + 1}};
                         }});
}

}  // namespace

TEST_CASE("rows on demand are sorted, cut and selected like stored rows") {
    for (const std::size_t column : {0U, 1U})
        for (const bool reversed : {false, true}) {
            Table kept = sample();
            Table asked = sample_on_demand();
            CHECK(asked.row_count() == 4);
            CHECK(asked.sorted_rows(column, reversed) == kept.sorted_rows(column, reversed));
            kept.sort_by(column, reversed);
            asked.sort_by(column, reversed);
            CHECK(names(asked) == names(kept));
            kept.keep_first(3);
            asked.keep_first(3);
            CHECK(names(asked) == names(kept));
            const std::vector<uint32_t> rows = {2, 0, 2};
            CHECK(names(asked.picked(rows)) == names(kept.picked(rows)));
        }
    Table asked = sample_on_demand();
    asked.sort_by(0, false);
    CHECK(names(asked) == "a b c unknown");
    CHECK(asked.target(0).range == TimeRange{2, 3});
}

TEST_CASE("a column of reals prints whole numbers as reals, and no infinite or NaN value") {
    static constexpr std::array kReal = {
        ColumnSpec{"mean", ValueType::real, Unit::none, "not known", "A mean."}};
    static const TableSpec spec = {"real", "For tests.", kReal};
    const Table table(
        spec,
        {{0, 1}, {[](uint32_t i) { return i == 0 ? Cell(int64_t{2}) : Cell(0.0 / 0.0); }}, {}});
    CHECK(std::get<double>(table.cell(0, 0)) == 2.0);
    CHECK(std::holds_alternative<std::monostate>(table.cell(1, 0)));
}

TEST_CASE("numbers sort from the largest, equal rows keep their order, unknown values come last") {
    Table table = sample();
    table.sort_by(1, false);
    CHECK(names(table) == "c b a unknown");
    table.sort_by(1, true);
    CHECK(names(table) == "b a c unknown");
}

TEST_CASE("texts sort from A to Z") {
    Table table = sample();
    table.sort_by(0, false);
    CHECK(names(table) == "a b c unknown");
    table.sort_by(0, true);
    CHECK(names(table) == "unknown c b a");
}

TEST_CASE("the first rows can be kept; a number beyond the table's size keeps all") {
    Table table = sample();
    table.keep_first(2);
    CHECK(names(table) == "b unknown");
    table.keep_first(100);
    CHECK(table.row_count() == 2);
}

TEST_CASE("a column is found by its exact name") {
    CHECK(find_column(kSpec, "total_ns") == std::size_t{1});
    CHECK_FALSE(find_column(kSpec, "total").has_value());
}

}  // namespace lanescope
