#include "core/table/grouped.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <limits>
#include <numeric>
#include <optional>
#include <string>

#include "core/export/tables/table_writer.h"

namespace lanescope {

namespace {

struct CallRow {
    std::optional<std::string_view> op;
    std::optional<int64_t> stream;
    std::string_view name;
    std::optional<int64_t> calls;
    std::optional<int64_t> total;
    std::optional<double> mean;
    std::optional<int64_t> shortest;
    std::optional<int64_t> longest;
    std::optional<double> median;
};

constexpr auto kCallColumns = columns<CallRow>({
    {{"name", Unit::none, kDistinct, "", "A name."}, [](const CallRow& row) { return row.name; }},
    {{"op", Unit::none, kDistinct, "unknown", "An operator."},
     [](const CallRow& row) { return row.op; }},
    {{"stream", Unit::none, kDistinct, "unknown", "A stream."},
     [](const CallRow& row) { return row.stream; }},
    {{"calls", Unit::count, kSum, "unknown", "Calls."},
     [](const CallRow& row) { return row.calls; }},
    {{"total_ns", Unit::nanoseconds, kSum, "unknown", "Time."},
     [](const CallRow& row) { return row.total; }},
    {{"mean_ns", Unit::nanoseconds, mean_by("calls"), "unknown", "Mean."},
     [](const CallRow& row) { return row.mean; }},
    {{"min_ns", Unit::nanoseconds, kMin, "unknown", "Shortest."},
     [](const CallRow& row) { return row.shortest; }},
    {{"max_ns", Unit::nanoseconds, kMax, "unknown", "Longest."},
     [](const CallRow& row) { return row.longest; }},
    {{"p50_ns", Unit::nanoseconds, kNoAggregate, "unknown", "Median."},
     [](const CallRow& row) { return row.median; }},
});
constexpr TableOf<CallRow> kCallTable = {
    {"calls", "For tests."}, kCallColumns, [](const CallRow& row) {
        return RowTarget{{}, {0, row.total.value_or(1)}};
    }};

std::shared_ptr<const Table> calls(const std::vector<CallRow>& rows) {
    TableBuilder<CallRow> table(kCallTable);
    for (const CallRow& row : rows) table.add(row);
    return std::make_shared<const Table>(table.take());
}

std::shared_ptr<const Table> some_calls() {
    return calls({{"mm", 7, "gemm", 2, 100, 50.0, 40, 60, 50.0},
                  {"add", 7, "add_a", 1, 30, 30.0, 30, 30, 30.0},
                  {"mm", 8, "gemm", 6, 60, 10.0, 5, 20, 9.0},
                  {std::nullopt, 7, "copy", std::nullopt, std::nullopt, 5.0, std::nullopt, 5, 5.0},
                  {"add", 7, "add_b", 0, 0, 99.0, 1, 2, std::nullopt}});
}

Table by(const std::shared_ptr<const Table>& table, const Grouping& grouping, GroupRows form) {
    std::vector<uint32_t> rows(table->row_count());
    std::iota(rows.begin(), rows.end(), 0U);
    return grouped(table, rows, grouping, form, format_cell);
}

std::string flat(const std::shared_ptr<const Table>& table, const Grouping& grouping) {
    return write_table(by(table, grouping, GroupRows::flat), TableFormat::csv);
}

constexpr std::size_t kOp = 1;
constexpr std::size_t kStream = 2;

}  // namespace

TEST_CASE("groups: each column is combined by its aggregate; missing values do not count") {
    CHECK(flat(some_calls(), {{kOp}}) ==
          "op,rows,name,stream,calls,total_ns,mean_ns,min_ns,max_ns,p50_ns\n"
          // (2 × 50 + 6 × 10) ÷ 8 = 20
          "mm,2,gemm,,8,160,20,5,60,\n"
          // The row without calls has no weight.
          "add,2,2 different,7,1,30,30,1,30,\n"
          ",1,copy,7,,,,,5,\n");
}

TEST_CASE("groups: weights of zero give no mean, an overflowing sum is missing") {
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
    CHECK(
        flat(calls({{"a", 1, "x", 0, kMost, 5.0, 1, 1, 1.0}, {"a", 2, "y", 0, 1, 7.0, -1, 1, 1.0}}),
             {{kOp}}) ==
        "op,rows,name,stream,calls,total_ns,mean_ns,min_ns,max_ns,p50_ns\n"
        "a,2,2 different,,0,,,-1,1,\n");
}

TEST_CASE("groups in groups: flat rows of the inner ones, and a tree with subtotals") {
    CHECK(flat(some_calls(), {{kOp, kStream}}) ==
          "op,stream,rows,name,calls,total_ns,mean_ns,min_ns,max_ns,p50_ns\n"
          "mm,7,1,gemm,2,100,50,40,60,\n"
          "mm,8,1,gemm,6,60,10,5,20,\n"
          "add,7,2,2 different,1,30,30,1,30,\n"
          ",7,1,copy,,,,,5,\n");
    const Table tree = by(some_calls(), {{kOp, kStream}}, GroupRows::groups);
    CHECK(write_table(tree, TableFormat::text) ==
          "op / stream  rows  name         calls   total   mean    min    max\n"
          "mm              2  gemm             8  160 ns  20 ns   5 ns  60 ns\n"
          "  7             1  gemm             2  100 ns  50 ns  40 ns  60 ns\n"
          "  8             1  gemm             6   60 ns  10 ns   5 ns  20 ns\n"
          "add             2  2 different      1   30 ns  30 ns   1 ns  30 ns\n"
          "  7             2  2 different      1   30 ns  30 ns   1 ns  30 ns\n"
          "unknown         1  copy             –       –      –      –   5 ns\n"
          "  7             1  copy             –       –      –      –   5 ns\n");
    CHECK(tree.spec().tree);
    CHECK_FALSE(tree.target(0));
}

TEST_CASE("groups with all rows: each below its group, with its place and all its values") {
    const Table tree = by(some_calls(), {{kOp}}, GroupRows::all);
    CHECK(write_table(tree, TableFormat::csv) ==
          "op / name,rows,stream,calls,total_ns,mean_ns,min_ns,max_ns,p50_ns,depth\n"
          "mm,2,,8,160,20,5,60,,0\n"
          "gemm,,7,2,100,50,40,60,50,1\n"
          "gemm,,8,6,60,10,5,20,9,1\n"
          "add,2,7,1,30,30,1,30,,0\n"
          "add_a,,7,1,30,30,30,30,30,1\n"
          "add_b,,7,0,0,99,1,2,,1\n"
          "unknown,1,7,,,,,5,,0\n"
          "copy,,7,,,5,,5,5,1\n");
    CHECK(tree.target(1).range.length() == 100);
    CHECK_FALSE(tree.target(0));
}

TEST_CASE("groups are sorted by any column, within their groups, and cut by number") {
    const auto names = [](const Grouping& grouping, GroupRows form = GroupRows::groups) {
        const Table table = by(some_calls(), grouping, form);
        std::string all;
        for (std::size_t row = 0; row < table.row_count(); ++row)
            all += format_cell(table, row, 0) + " ";
        return all;
    };
    CHECK(names({{kOp}}) == "mm add unknown ");
    CHECK(names({{kOp}, {}, true}) == "add mm unknown ");
    CHECK(names({{kOp}, "op"}) == "add mm unknown ");
    CHECK(names({{kOp}, "op", true}) == "mm add unknown ");
    CHECK(names({{kOp}, "rows"}) == "mm add unknown ");
    CHECK(names({{kOp}, "max_ns", true}) == "unknown add mm ");
    CHECK(names({{kOp, kStream}, "stream"}) == "mm 8 7 add 7 unknown 7 ");
    CHECK(names({{kOp, kStream}, "stream", true}) == "mm 7 8 add 7 unknown 7 ");
    CHECK(names({{kOp, kStream}, "calls"}) == "mm 8 7 add 7 unknown 7 ");
    CHECK(names({{kOp, kStream}, {}, false, 1}) == "mm 7 8 ");
    CHECK(names({{kOp}, "total_ns", true}, GroupRows::all) ==
          "add add_b add_a mm gemm gemm unknown copy ");
    CHECK(names({{kOp}, std::string(kGroupKey), true}, GroupRows::all) ==
          "mm gemm gemm add add_b add_a unknown copy ");
    CHECK(names({{kStream}, std::string(kGroupKey)}) == "8 7 ");
}

TEST_CASE("groups: a missing value differs from the others") {
    CHECK(flat(calls({{"a", 7, "x", 1, 1, 1.0, 1, 1, 1.0},
                      {std::nullopt, std::nullopt, "x", 1, 1, 1.0, 1, 1, 1.0},
                      {"a", 7, "y", 1, 1, 1.0, 1, 1, 1.0}}),
               {{0}}) ==
          "name,rows,op,stream,calls,total_ns,mean_ns,min_ns,max_ns,p50_ns\n"
          "x,2,2 different,,2,2,1,1,1,\n"
          "y,1,a,7,1,1,1,1,1,\n");
}

TEST_CASE("groups of some rows only, and of none") {
    const std::vector<uint32_t> some = {1, 2};
    const Table table = grouped(some_calls(), some, {{kOp}}, GroupRows::flat, format_cell);
    CHECK(table.row_count() == 2);
    CHECK(std::get<int64_t>(table.cell(0, *find_column(table.spec(), "total_ns"))) == 60);
    for (const GroupRows form : {GroupRows::flat, GroupRows::groups, GroupRows::all})
        CHECK(by(calls({}), {{kOp, kStream}}, form).row_count() == 0);
    CHECK(flat(calls({}), {{kOp}}) ==
          "op,rows,name,stream,calls,total_ns,mean_ns,min_ns,max_ns,p50_ns\n");
}

TEST_CASE("a grouped table keeps the table that it was made from") {
    auto table = some_calls();
    Table tree = by(table, {{kOp}}, GroupRows::all);
    table.reset();
    tree.sort_by(*find_column(tree.spec(), "max_ns"), false);
    const Table copy = tree.picked(std::vector<uint32_t>{0, 1});
    CHECK(copy.row_count() == 2);
    CHECK(std::get<int64_t>(copy.cell(0, *find_column(copy.spec(), "max_ns"))) == 60);
}

}  // namespace lanescope
