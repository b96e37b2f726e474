#include "core/table/table.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/table/cells.h"

namespace lanescope {

namespace {

struct SampleRow {
    std::string_view name;
    std::optional<int64_t> total;
    TimeRange range;
};

constexpr auto kColumns = columns<SampleRow>({
    {{"name", Unit::none, kDistinct, "", "A name."}, [](const SampleRow& row) { return row.name; }},
    {{"total_ns", Unit::nanoseconds, kSum, "not measured", "A time."},
     [](const SampleRow& row) { return row.total; }},
});
constexpr TableOf<SampleRow> kSpec = {{"sample", "For tests."}, kColumns, [](const SampleRow& row) {
                                          return RowTarget{{}, row.range};
                                      }};

const std::array<SampleRow, 4> kRows = {SampleRow{"b", 20, {0, 1}},
                                        SampleRow{"unknown", std::nullopt, {1, 2}},
                                        SampleRow{"a", 20, {2, 3}}, SampleRow{"c", 300, {3, 4}}};

Table sample() {
    TableBuilder table(kSpec);
    for (const SampleRow& row : kRows) table.add(row);
    return table.take();
}

std::string names(const Table& table) {
    std::string out;
    for (std::size_t r = 0; r < table.row_count(); ++r)
        out += (r > 0 ? " " : "") + std::string(std::get<std::string_view>(table.cell(r, 0)));
    return out;
}

// The rows of sample(), computed on demand.
Table sample_on_demand() {
    return table_on_demand(kSpec, {0, 1, 2, 3}, [](uint32_t i) { return kRows[i]; });
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

TEST_CASE("stored rows and rows on demand lead to the same places") {
    const Table kept = sample();
    const Table asked = sample_on_demand();
    for (std::size_t row = 0; row < kRows.size(); ++row) {
        CHECK(kept.target(row).range == kRows[row].range);
        CHECK(asked.target(row).range == kRows[row].range);
    }
}

TEST_CASE("what a value returns determines the column's type, and when it is unknown") {
    struct ValuesRow {
        double real;
        const std::array<int64_t, 3>& list;
    };
    static constexpr auto kValues = columns<ValuesRow>({
        {{"small", Unit::none, kNoAggregate, "", "An integer."},
         [](const ValuesRow&) { return uint8_t{7}; }},
        {{"flag", Unit::none, kMax, "", "1 or 0."}, [](const ValuesRow&) { return true; }},
        {{"real", Unit::none, kNoAggregate, "not finite", "A number."},
         [](const ValuesRow& row) { return row.real; }},
        {{"maybe_real", Unit::none, kNoAggregate, "not finite", "A number."},
         [](const ValuesRow& row) { return std::optional(row.real); }},
        {{"list", Unit::none, kNoAggregate, "", "Three integers."},
         [](const ValuesRow& row) { return std::span<const int64_t>(row.list); }},
        {{"missing", Unit::none, kNoAggregate, "always", "A text."},
         [](const ValuesRow&) { return std::optional<std::string_view>(); }},
    });
    static constexpr TableOf<ValuesRow> kOfValues = {{"values", "For tests."}, kValues};
    const std::array types = {ValueType::integer, ValueType::integer,  ValueType::real,
                              ValueType::real,    ValueType::integers, ValueType::text};
    for (std::size_t c = 0; c < types.size(); ++c) CHECK(kOfValues.columns[c].type == types[c]);

    static constexpr std::array<int64_t, 3> kList = {1, 2, 3};
    const auto row_of = [](uint32_t i) { return ValuesRow{i == 0 ? 2.0 : 0.0 / 0.0, kList}; };
    TableBuilder builder(kOfValues);
    for (const uint32_t i : {0U, 1U}) builder.add(row_of(i));
    const Table kept = builder.take();
    const Table asked = table_on_demand(kOfValues, {0, 1}, row_of);
    for (const Table* const table : {&kept, &asked}) {
        CHECK(std::get<int64_t>(table->cell(0, 0)) == 7);
        CHECK(std::get<int64_t>(table->cell(0, 1)) == 1);
        for (const std::size_t column : {2U, 3U}) {
            CHECK(std::get<double>(table->cell(0, column)) == 2.0);
            CHECK(std::holds_alternative<std::monostate>(table->cell(1, column)));
        }
        CHECK(std::ranges::equal(std::get<std::span<const int64_t>>(table->cell(0, 4)), kList));
        CHECK(std::holds_alternative<std::monostate>(table->cell(0, 5)));
        CHECK_FALSE(table->target(0));
    }
}

TEST_CASE("lists of columns can be joined, and a shared column fits every row that has its value") {
    struct CountRow {
        int64_t count;
        std::optional<int64_t> uncertain() const {
            return count > 1 ? std::optional(1) : std::nullopt;
        }
    };
    static constexpr SharedColumn kCount{ColumnText{"count", Unit::count, kSum, "", "How many."},
                                         [](const auto& row) { return row.count; }};
    static constexpr auto kFirst = columns<CountRow>({kCount});
    static constexpr auto kSecond = columns<CountRow>({kUncertainColumn});
    static constexpr auto kBoth = joined(kFirst, kSecond);
    static constexpr TableOf<CountRow> kCounts = {{"counts", "For tests."}, kBoth};
    REQUIRE(kCounts.columns.size() == 2);
    CHECK(kCounts.columns[0].key == "count");
    CHECK(kCounts.columns[1].key == "uncertain");
    TableBuilder builder(kCounts);
    for (const int64_t count : {1, 2}) builder.add({count});
    const Table table = builder.take();
    CHECK(std::get<int64_t>(table.cell(1, 0)) == 2);
    CHECK(std::holds_alternative<std::monostate>(table.cell(0, 1)));
    CHECK(std::get<int64_t>(table.cell(1, 1)) == 1);
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
