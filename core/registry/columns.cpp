// The lists of all declarations, and the table of all columns.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/analysis/ranks/rank_tables.h"
#include "core/analysis/statistics/histogram.h"
#include "core/insight/compare/compare.h"
#include "core/insight/compare/trace_figures.h"
#include "core/insight/summary/facts.h"
#include "core/insight/summary/summary.h"
#include "core/insight/what_if/what_if.h"
#include "core/registry/tables.h"
#include "core/table/cells.h"

namespace lanescope {

struct ColumnTableRow {
    std::string table;
    const ColumnSpec& column;
    std::string aggregate = aggregate_name(column.aggregate);
};

namespace {

constexpr auto kColumnColumns = columns<ColumnTableRow>({
    {{"table", Unit::none, kDistinct, "",
      "The table that has the column, with the form that adds it."},
     [](const ColumnTableRow& row) { return std::string_view(row.table); }},
    {{"column", Unit::none, kDistinct, "",
      "Name of the column: the key in JSON, the title in CSV."},
     [](const ColumnTableRow& row) { return row.column.key; }},
    {{"type", Unit::none, kDistinct, "", "text, integer, number, or list of integers."},
     [](const ColumnTableRow& row) { return value_type_name(row.column.type); }},
    {{"unit", Unit::none, kDistinct, "a text", "Unit of the numbers."},
     [](const ColumnTableRow& row) { return known_text(unit_name(row.column.unit)); }},
    {{"aggregate", Unit::none, kDistinct, "several values have no common value",
      "How the values of several rows become one: sum, mean by a column of weights, min, max, or "
      "distinct (the value if all agree; else, of texts, how many there are)."},
     [](const ColumnTableRow& row) { return known_text(row.aggregate); }},
    {{"null", Unit::none, kDistinct, "never missing", "What a missing value (null, dash) means."},
     [](const ColumnTableRow& row) { return known_text(row.column.null); }},
    {{"definition", Unit::none, kDistinct, "", "Definition of the value."},
     [](const ColumnTableRow& row) { return row.column.definition; }},
});

}  // namespace

const TableOf<ColumnTableRow> kColumnsTable = {{"columns", "Every table's columns."},
                                               kColumnColumns};

std::span<const TableSpec* const> all_tables() {
    static const std::vector<const TableSpec*> tables = [] {
        std::vector<const TableSpec*> all = {
            &kColumnsTable,        &kFactsTable,         &kHistogramTable,
            &kSummaryTable,        &kWhatIfTable,        &kTracesTable,
            &kCompareTable,        &kCompareFactsTable,  &kCompareGraphsTable,
            &kCompareFusionsTable, &kCompareGuardsTable, &kCompareOriginsTable};
        for (const TableMaker& maker : table_makers()) all.push_back(maker.spec);
        for (const RankTableMaker& maker : rank_table_makers()) all.push_back(maker.spec);
        return all;
    }();
    return tables;
}

const TableSpec* find_table(std::string_view name, std::string_view by) {
    const auto tables = all_tables();
    const auto found = std::find_if(tables.begin(), tables.end(), [&](const TableSpec* t) {
        return t->name == name && t->by == by;
    });
    return found == tables.end() ? nullptr : *found;
}

Table columns_table(const TableSpec* only) {
    TableBuilder table(kColumnsTable);
    const auto tables = all_tables();
    // A table of single events is not in the registry.
    if (only && std::ranges::none_of(
                    tables, [&](const TableSpec* spec) { return spec->name == only->name; }))
        for (const ColumnSpec& column : only->columns) table.add({std::string(only->name), column});
    for (const TableSpec* spec : tables) {
        if (only && spec->name != only->name) continue;
        const TableSpec* const plain = spec->by.empty() ? nullptr : find_table(spec->name);
        const std::string name = spec->by.empty() ? std::string(spec->name)
                                                  : fmt::format("{} --by {}", spec->name, spec->by);
        for (const ColumnSpec& column : spec->columns)
            if (!plain || !find_column(*plain, column.key)) table.add({name, column});
    }
    return table.take();
}

}  // namespace lanescope
