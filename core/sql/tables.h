// The tables of a connection other than slice and args: each is a table of core/table.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

struct SqlSource;

struct SqlTable {
    std::string name;
    const TableSpec* spec = nullptr;
    std::function<Table(SqlSource&, const TableQuery&)> make;
    // It is a function too, whose arguments are a form, and a range as in --range.
    bool has_arguments = false;
    double rows = 1000;  // roughly how many
};

// Perfetto's tables, our tables of single events, and every named table of the registry: "-" in a
// name becomes "_", `slices` becomes `slice_summary`, and a form is added to it:
// "kernels_by_config".
std::vector<SqlTable> sql_tables(const SqlSource& source);

// The declaration of a table of single events; null if there is none.
const TableSpec* find_event_table(std::string_view name);

void add_perfetto_tables(const SqlSource& source, std::vector<SqlTable>& tables);
void add_event_tables(const SqlSource& source, std::vector<SqlTable>& tables);
void add_registry_tables(std::vector<SqlTable>& tables);

// The name of a table of the registry in SQL: "critical-path" by "segment" is
// "critical_path_by_segment".
std::string sql_name(std::string_view table, std::string_view by = {});

}  // namespace lanescope
