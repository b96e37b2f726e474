// The options --group-by, --sort, --reverse and --top of commands that write tables.
#pragma once

#include <CLI/CLI.hpp>

#include "app/commands/output.h"
#include "core/export/tables/row_choice.h"
#include "core/table/table.h"

namespace lanescope {

void add_row_options(CLI::App& command, RowOptions& options);

// Writes the chosen rows; returns the exit status.
int write_rows(Table table, const RowOptions& rows, const RowChoice& choice,
               const OutputOptions& output);

}  // namespace lanescope
