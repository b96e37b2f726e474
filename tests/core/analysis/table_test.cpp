#include "core/analysis/table.h"

#include <doctest/doctest.h>

#include <array>

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

}  // namespace

TEST_CASE("numbers sort from the largest, equal rows keep their order, unknown values stand last") {
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

TEST_CASE("the first rows can be kept, and more than all is all") {
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
