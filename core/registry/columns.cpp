// The lists of all declarations, and the table of all columns.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/analysis/statistics/histogram.h"
#include "core/insight/facts.h"
#include "core/insight/summary.h"
#include "core/insight/trace_figures.h"
#include "core/insight/what_if.h"
#include "core/registry/tables.h"

namespace lanescope {

namespace {

constexpr std::array kColumnsColumns = {
    ColumnSpec{"table", ValueType::text, Unit::none, "",
               "The table that has the column, with the form that adds it."},
    ColumnSpec{"column", ValueType::text, Unit::none, "",
               "Its name: the key in JSON, the head in CSV."},
    ColumnSpec{"type", ValueType::text, Unit::none, "",
               "text, integer, number, or list of integers."},
    ColumnSpec{"unit", ValueType::text, Unit::none, "a text", "What a number is measured in."},
    ColumnSpec{"null", ValueType::text, Unit::none, "never missing",
               "What a missing value (null, dash) means."},
    ColumnSpec{"definition", ValueType::text, Unit::none, "", "Definition of the value."},
};

}  // namespace

const TableSpec kColumnsTable = {"columns", "Every table's columns.", kColumnsColumns};

std::span<const TableSpec* const> all_tables() {
    static const std::vector<const TableSpec*> tables = [] {
        std::vector<const TableSpec*> all = {&kColumnsTable, &kFactsTable,  &kHistogramTable,
                                             &kSummaryTable, &kWhatIfTable, &kTracesTable};
        for (const TableMaker& maker : table_makers()) all.push_back(maker.spec);
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
    Table table(kColumnsTable);
    for (const TableSpec* spec : all_tables()) {
        if (only && spec->name != only->name) continue;
        const TableSpec* const plain = spec->by.empty() ? nullptr : find_table(spec->name);
        const std::string name = spec->by.empty() ? std::string(spec->name)
                                                  : fmt::format("{} --by {}", spec->name, spec->by);
        for (const ColumnSpec& c : spec->columns) {
            if (plain && find_column(*plain, c.name)) continue;
            const std::string_view unit = unit_name(c.unit);
            table.add_row({name, c.name, value_type_name(c.type),
                           unit.empty() ? Cell() : Cell(unit),
                           c.null.empty() ? Cell() : Cell(c.null), c.definition});
        }
    }
    return table;
}

}  // namespace lanescope
