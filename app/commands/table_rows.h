// Which rows of a table a command writes, and in which order: --group-by, --sort, --reverse, --top.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "app/commands/output.h"
#include "core/base/result.h"
#include "core/table/grouped.h"
#include "core/table/table.h"

namespace lanescope {

struct RowOptions {
    std::string group_by;  // one or two columns, separated by a comma
    std::string sort;
    bool reversed = false;
    std::size_t top = 0;  // 0: all rows
};

void add_row_options(CLI::App& command, RowOptions& options);

// The columns of the options in a table; an error if the table does not have them.
struct RowChoice {
    std::optional<std::size_t> sort;  // not of a grouped table
    Grouping grouping;                // empty `by`: the table is not grouped
};
Result<RowChoice> row_choice(const TableSpec& spec, const RowOptions& options);

// Writes the chosen rows; returns the exit status.
int write_rows(Table table, const RowOptions& rows, const RowChoice& choice,
               const OutputOptions& output);

}  // namespace lanescope
