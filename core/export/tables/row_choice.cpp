#include "core/export/tables/row_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/export/tables/table_writer.h"

namespace lanescope {

namespace {

Error no_such_column(std::string_view table, std::span<const ColumnSpec> columns,
                     std::string_view name) {
    std::string names;
    for (const ColumnSpec& column : columns) names += " " + std::string(column.key);
    return {ErrorCode::usage, Error::no_offset,
            fmt::format("{} has no column {}; it has:{}", table, name, names)};
}

bool has(std::span<const ColumnSpec> columns, std::string_view key) {
    return std::ranges::find(columns, key, &ColumnSpec::key) != columns.end();
}

Result<std::vector<std::size_t>> columns_named(const TableSpec& spec, std::string_view list) {
    std::vector<std::size_t> columns;
    while (true) {
        const std::size_t comma = std::min(list.find(','), list.size());
        const std::string_view name = list.substr(0, comma);
        const auto column = find_column(spec, name);
        if (!column) return no_such_column(fmt::format("Table {}", spec.name), spec.columns, name);
        columns.push_back(*column);
        if (comma == list.size()) break;
        list.remove_prefix(comma + 1);
    }
    if (columns.size() > 2 || (columns.size() == 2 && columns[0] == columns[1]))
        return Error{ErrorCode::usage, Error::no_offset,
                     "--group-by takes one column, or two different ones"};
    return columns;
}

}  // namespace

Result<RowChoice> row_choice(const TableSpec& spec, const RowOptions& options) {
    RowChoice choice;
    if (!options.group_by.empty()) {
        const auto by = columns_named(spec, options.group_by);
        if (!by) return by.error();
        choice.grouping = {*by, options.sort, options.reversed, options.top};
        const std::vector<ColumnSpec> columns = grouped_columns(spec, *by);
        if (!options.sort.empty() && !has(columns, options.sort))
            return no_such_column("The grouped table", columns, options.sort);
    } else if (!options.sort.empty()) {
        choice.sort = find_column(spec, options.sort);
        if (!choice.sort)
            return no_such_column(fmt::format("Table {}", spec.name), spec.columns, options.sort);
    }
    return choice;
}

Table chosen_rows(Table table, const RowOptions& options, const RowChoice& choice, GroupRows form) {
    if (choice.grouping.by.empty()) {
        if (choice.sort) table.sort_by(*choice.sort, options.reversed);
        if (options.top > 0) table.keep_first(options.top);
        return table;
    }
    std::vector<uint32_t> all(table.row_count());
    std::iota(all.begin(), all.end(), 0U);
    return grouped(std::make_shared<const Table>(std::move(table)), all, choice.grouping, form,
                   format_cell);
}

}  // namespace lanescope
