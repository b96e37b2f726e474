#include "core/analysis/columns.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/analysis/facts.h"
#include "core/analysis/histogram.h"
#include "core/analysis/summary.h"
#include "core/analysis/tables.h"
#include "core/analysis/trace_figures.h"
#include "core/analysis/what_if.h"

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

bool is_doubt(std::span<const ColumnSpec> columns, std::string_view name) {
    return std::ranges::any_of(columns, [&](const ColumnSpec& column) {
        return std::ranges::find(column.doubts, name) != column.doubts.end();
    });
}

std::string_view value_type_name(ValueType type) {
    switch (type) {
        case ValueType::text:
            return "text";
        case ValueType::integer:
            return "integer";
        case ValueType::real:
            return "number";
        case ValueType::integers:
            return "list of integers";
    }
    return "";
}

std::string_view unit_name(Unit unit) {
    switch (unit) {
        case Unit::none:
            return "";
        case Unit::count:
            return "count";
        case Unit::nanoseconds:
            return "ns";
        case Unit::bytes:
            return "bytes";
        case Unit::flop:
            return "FLOP";
        case Unit::ratio:
            return "ratio 0-1";
    }
    return "";
}

}  // namespace lanescope
