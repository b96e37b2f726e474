// lanescope columns: every table's columns, from the registry.
#include <memory>
#include <string>

#include "app/commands/commands.h"
#include "app/commands/output.h"
#include "core/registry/tables.h"
#include "core/table/table.h"

namespace lanescope {

namespace {

struct ColumnsOptions {
    std::string table;
    OutputOptions output;
};

int run_columns(const ColumnsOptions& options) {
    const TableSpec* only = nullptr;
    if (!options.table.empty()) {
        only = find_table(options.table);
        if (!only) {
            std::string names;
            for (const TableSpec* spec : all_tables()) names += " " + std::string(spec->name);
            return report({ErrorCode::usage, Error::no_offset,
                           "No table " + options.table + "; there are:" + names},
                          "");
        }
    }
    const TextStyle style = text_style(options.output);
    return write_output(write_table(columns_table(only), options.output.format, style),
                        options.output);
}

}  // namespace

void add_columns_command(CLI::App& app, int& status) {
    auto options = std::make_shared<ColumnsOptions>();
    CLI::App* command =
        app.add_subcommand("columns", "Every table's columns: type, unit, aggregate, definition");
    command->add_option("TABLE", options->table, "Only the columns of this table");
    add_output_options(*command, options->output);
    command->footer(
        "Example:\n"
        "  lanescope columns lanes");
    command->callback([options, &status] { status = run_columns(*options); });
}

}  // namespace lanescope
