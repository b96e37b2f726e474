// The named tables of the registry in SQL.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/registry/tables.h"
#include "core/sql/source.h"
#include "core/sql/tables.h"
#include "core/table/table.h"

namespace lanescope {

struct SqlTableRow {
    uint32_t id = 0;
    std::string_view name, about;
};

namespace {

constexpr auto kSqlTableColumns = columns<SqlTableRow>({
    {{"id", Unit::none, kNoAggregate, "", "Number of the row."},
     [](const SqlTableRow& row) { return row.id; }},
    {{"name", Unit::none, kNoAggregate, "", "Name of the table."},
     [](const SqlTableRow& row) { return row.name; }},
    {{"description", Unit::none, kNoAggregate, "", "What its rows are."},
     [](const SqlTableRow& row) { return row.about; }},
});
constexpr TableOf<SqlTableRow> kSqlTables = {{"perfetto_tables", "The tables of a trace."},
                                             kSqlTableColumns};

// The tables that modules of their own implement, and the views. The registry does not list them.
constexpr std::pair<std::string_view, std::string_view> kOtherTables[] = {
    {"slice", "Slices of threads, GPU streams and asynchronous ranges, and instants."},
    {"slices", "The same as slice."},
    {"args", "Arguments of slices, read from the file."},
    {"instant", "Slices of no duration."},
    {"instants", "The same as instant."},
    {"counters", "Values of counters, with the counter's name."},
    {"kernel", "The kernels among the rows of gpu_activity."},
    {"launch", "Launched activities of GPUs with the calls that launched them."},
};

Table table_rows(const SqlSource& source) {
    TableBuilder<SqlTableRow> table(kSqlTables);
    uint32_t id = 0;
    for (const auto& [name, about] : kOtherTables) table.add({id++, name, about});
    for (const SqlTable& one : sql_tables(source)) table.add({id++, one.name, one.spec->about});
    return table.take();
}

}  // namespace

std::string sql_name(std::string_view table, std::string_view by) {
    // `slice` and `slices` are Perfetto's.
    std::string name(table == "slices" ? "slice_summary" : table);
    if (!by.empty()) name.append("_by_").append(by);
    std::ranges::replace(name, '-', '_');
    return name;
}

void add_registry_tables(std::vector<SqlTable>& tables) {
    for (const TableMaker& maker : table_makers())
        tables.push_back({sql_name(maker.spec->name, maker.spec->by), maker.spec,
                          [make = maker.make](SqlSource& source, const TableQuery& query) {
                              return make(source.context, query);
                          },
                          true, 1000});
}

std::vector<SqlTable> sql_tables(const SqlSource& source) {
    std::vector<SqlTable> tables;
    add_perfetto_tables(source, tables);
    add_event_tables(source, tables);
    add_registry_tables(tables);
    tables.push_back({std::string(kSqlTables.name), &kSqlTables,
                      [](SqlSource& from, const TableQuery&) { return table_rows(from); }, false,
                      100});
    return tables;
}

}  // namespace lanescope
