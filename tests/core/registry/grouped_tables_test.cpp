// Every table, grouped by every column: the groups add up to the table.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>

#include "core/export/tables/table_writer.h"
#include "core/registry/tables.h"
#include "core/table/grouped.h"
#include "tests/core/real_traces.h"

namespace lanescope {

namespace {

struct ColumnSum {
    int64_t whole = 0;
    double real = 0;
    std::size_t known = 0;
};

ColumnSum sum_in(const Table& table, std::size_t column) {
    ColumnSum sum;
    for (std::size_t row = 0; row < table.row_count(); ++row) {
        const Cell cell = table.cell(row, column);
        if (const auto* const n = std::get_if<int64_t>(&cell)) sum.whole += *n;
        if (const auto* const x = std::get_if<double>(&cell)) sum.real += *x;
        sum.known += !std::holds_alternative<std::monostate>(cell);
    }
    return sum;
}

void check_groups(const std::shared_ptr<const Table>& table, const std::vector<std::size_t>& by) {
    std::vector<uint32_t> rows(table->row_count());
    std::iota(rows.begin(), rows.end(), 0U);
    const Table groups = grouped(table, rows, {by}, GroupRows::flat, format_cell);
    CHECK(sum_in(groups, *find_column(groups.spec(), kRowsKey)).whole ==
          static_cast<int64_t>(table->row_count()));
    const auto specs = table->spec().columns;
    for (std::size_t c = 0; c < specs.size(); ++c) {
        if (specs[c].aggregate != kSum || std::ranges::find(by, c) != by.end()) continue;
        CAPTURE(specs[c].key);
        const ColumnSum whole = sum_in(*table, c);
        const ColumnSum of_groups = sum_in(groups, *find_column(groups.spec(), specs[c].key));
        CHECK(of_groups.whole == whole.whole);
        CHECK(std::abs(of_groups.real - whole.real) <= 1e-9 * (1 + std::abs(whole.real)));
        CHECK((of_groups.known > 0) == (whole.known > 0));
    }
}

void check_tree(const std::shared_ptr<const Table>& table, std::size_t by) {
    std::vector<uint32_t> rows(table->row_count());
    std::iota(rows.begin(), rows.end(), 0U);
    const Table tree = grouped(table, rows, {{by}}, GroupRows::all, format_cell);
    const std::size_t depth = *find_column(tree.spec(), "depth");
    const auto leaves = static_cast<std::size_t>(sum_in(tree, depth).whole);
    CHECK(leaves == table->row_count());
    CHECK(sum_in(tree, *find_column(tree.spec(), kRowsKey)).whole ==
          static_cast<int64_t>(table->row_count()));
}

}  // namespace

TEST_CASE("no table has a column with a key of grouped tables") {
    for (const TableSpec* spec : all_tables())
        for (const std::string_view key : {kGroupKey, kRowsKey})
            CHECK_FALSE(find_column(*spec, key));
}

TEST_CASE("groups of every table by every column add up to the table") {
    constexpr std::size_t kMaxRows = 1000;  // of a table; more would only take longer
    for (const std::string& name : testing::traces_of_slow_tests(0)) {
        CAPTURE(name);
        const TracePtr trace = testing::load_real_trace(name);
        if (!trace) continue;
        const TraceContext context(trace);
        for (const TableMaker& maker : table_makers()) {
            CAPTURE(maker.spec->name);
            CAPTURE(maker.spec->by);
            Table made = maker.make(context, {});
            made.keep_first(kMaxRows);
            const auto table = std::make_shared<const Table>(std::move(made));
            const std::size_t count = table->column_count();
            const std::size_t step = table->row_count() > 500 ? 5 : 1;
            for (std::size_t c = 0; c < count; c += step) {
                CAPTURE(maker.spec->columns[c].key);
                check_groups(table, {c});
                if (count > 1) check_groups(table, {c, (c + 1) % count});
                check_tree(table, c);
            }
        }
    }
}

}  // namespace lanescope
