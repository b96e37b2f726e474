#include "app/commands/table_rows.h"

#include <optional>
#include <utility>

#include "app/commands/count_check.h"

namespace lanescope {

void add_row_options(CLI::App& command, RowOptions& options) {
    command
        .add_option("--group-by", options.group_by,
                    "One row for each value of a column, or of a second column within the first")
        ->type_name("COLUMN[,COLUMN]");
    command
        .add_option("--sort", options.sort,
                    "Sort by a column: numbers from the largest, texts from A")
        ->type_name("COLUMN");
    command.add_flag("--reverse", options.reversed, "Reverse the order");
    command.add_option("--top", options.top, "Only the first N rows, or groups")
        ->type_name("N")
        ->check(check_count);
}

int write_rows(Table table, const RowOptions& rows, const RowChoice& choice,
               const OutputOptions& output) {
    const GroupRows form = output.format == TableFormat::text ? GroupRows::groups : GroupRows::flat;
    const Table chosen = chosen_rows(std::move(table), rows, choice, form);
    const std::optional<std::size_t> sorted =
        choice.grouping.by.empty() ? choice.sort : find_column(chosen.spec(), rows.sort);
    return write_output(write_table(chosen, output.format, text_style(output), sorted), output);
}

}  // namespace lanescope
