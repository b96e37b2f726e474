// The list of all tables, by name and variant: what `lanescope table`, `lanescope columns`, the
// panels and the docs offer. The only place that names every table.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/analysis/context.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

struct TableMaker {
    const TableSpec* spec;
    Table (*make)(const TraceContext& context, const TableQuery& query);
};

// All tables. The variants of one table follow each other, the plain form first.
std::span<const TableMaker> table_makers();
// The word for the plain form of a table, as in --by; empty: it has none.
std::string_view plain_form(std::string_view table);
// The words for all forms of a table, the plain one first; empty: it has one form.
std::vector<std::string_view> forms_of_table(std::string_view table);
// Null if there is no such table or variant computed from a trace.
const TableMaker* find_table_maker(std::string_view table, std::string_view by);

// The declarations of all tables, also of those that are not computed from a trace alone; the
// variants of a table follow its plain form.
std::span<const TableSpec* const> all_tables();
// Null if there is no such table.
const TableSpec* find_table(std::string_view name, std::string_view by = {});

// The registry's own table: one row for each column of one table or of all.
extern const TableOf<struct ColumnTableRow> kColumnsTable;
// Rows of kColumnsTable for one table in all variants, or for all tables if null. A variant lists
// only the columns that the plain form lacks.
Table columns_table(const TableSpec* only);

}  // namespace lanescope
