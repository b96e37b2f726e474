// The named tables of the registry in SQL.
#include <algorithm>

#include "core/registry/tables.h"
#include "core/sql/source.h"
#include "core/sql/tables.h"

namespace lanescope {

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
    return tables;
}

}  // namespace lanescope
