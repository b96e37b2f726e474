#include "examples/extend/command/busiest.h"

#include <memory>
#include <string>

#include "app/commands/commands.h"
#include "app/commands/count_check.h"
#include "app/commands/load.h"
#include "app/commands/output.h"
#include "core/registry/tables.h"

namespace lanescope {

namespace {

struct BusiestOptions {
    std::string trace;
    std::string range;
    std::size_t top = 3;
    OutputOptions output;
};

int run_busiest(const BusiestOptions& options) {
    const Result<TraceWithCost> loaded = load_for_command(options.trace, {});
    if (!loaded) return report(loaded.error(), options.trace);
    report_incomplete(options.trace, *loaded->trace);
    const TraceContext context(loaded->trace);
    const Result<TableQuery> query = query_for_command(context, options.range);
    if (!query) return report(query.error(), "");
    const TableMaker& lanes = *find_table_maker("lanes", "");
    Table table = lanes.make(context, *query);
    const std::size_t busy = *find_column(*lanes.spec, "busy_ns");
    table.sort_by(busy, false);
    table.keep_first(options.top);
    return write_output(write_table(table, options.output.format, text_style(options.output), busy),
                        options.output);
}

}  // namespace

void add_busiest_command(CLI::App& app, int& status) {
    auto options = std::make_shared<BusiestOptions>();
    CLI::App* command =
        app.add_subcommand("busiest", "The lanes that are busy for the longest time");
    command->add_option("TRACE", options->trace, "The file; - reads standard input")->required();
    command
        ->add_option("--range", options->range,
                     "Only this range: A..B, such as 1.2ms..3ms, or step:N")
        ->type_name("RANGE");
    command->add_option("--top", options->top, "Only the first N rows")
        ->type_name("N")
        ->check(check_count);
    add_output_options(*command, options->output);
    command->footer(
        "Example:\n"
        "  lanescope busiest trace.json.gz --top 5");
    command->callback([options, &status] { status = run_busiest(*options); });
}

}  // namespace lanescope
