// lanescope table traces: compares several traces, one row each.
#include <memory>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/load.h"
#include "app/commands/output.h"
#include "app/commands/table_rows.h"
#include "core/analysis/collectives/message_shape.h"
#include "core/analysis/structure/time_range.h"
#include "core/insight/compare/trace_figures.h"
#include "core/session/part_names.h"
#include "core/session/specs_file.h"

namespace lanescope {

namespace {

struct TracesOptions {
    std::vector<std::string> traces;
    Companions companions;
    std::string range;
    std::string specs;
    RowOptions rows;
    OutputOptions output;
};

int run_traces(const TracesOptions& options) {
    const Result<RowChoice> choice = row_choice(kTracesTable, options.rows);
    if (!choice) return report(choice.error(), "");
    const Result<SpecsBookPtr> specs = load_specs(options.specs);
    if (!specs) return report(specs.error(), "");
    std::vector<TraceFigures> figures;
    std::vector<TraceFile> files;
    std::string failed;
    const Result<std::vector<std::string>> paths = given_traces(options.traces, failed);
    if (!paths) return report(paths.error(), failed);
    for (const std::string& path : *paths) {
        const Result<TraceWithCost> loaded = load_for_command(path, options.companions);
        if (!loaded) return report(loaded.error(), path);
        report_incomplete(path, *loaded->trace);
        const TraceContext context(loaded->trace, Evidence(*specs));
        const Result<TableQuery> query = query_for_command(context, options.range);
        if (!query) return report(query.error(), path);
        figures.push_back(trace_figures(context, *query));
        files.push_back({loaded->trace->path, own_rank(*loaded->trace)});
    }
    const std::vector<std::string> names = part_names(files);
    for (std::size_t i = 0; i < figures.size(); ++i) figures[i].name = names[i];
    return write_rows(traces_table(figures), options.rows, *choice, options.output);
}

}  // namespace

void add_traces_table(CLI::App& tables, int& status) {
    auto options = std::make_shared<TracesOptions>();
    CLI::App* command =
        tables.add_subcommand(std::string(kTracesTable.name), std::string(kTracesTable.about));
    command->add_option("TRACE", options->traces, "The files; - reads standard input")->required();
    add_companions(*command, options->companions);
    command
        ->add_option("--range", options->range,
                     "Only this time range of each: A..B, such as 1.2ms..3ms, or step:N")
        ->type_name("RANGE");
    add_row_options(*command, options->rows);
    command->add_option("--specs", options->specs, kSpecsHelp)->type_name("FILE");
    add_output_options(*command, options->output);
    add_full_names(*command, options->output);
    command->footer(
        "Example:\n  lanescope table traces batch-8.json.gz batch-16.json.gz batch-32.json.gz\n\n"
        "Columns: lanescope columns traces");
    command->callback([options, &status] { status = run_traces(*options); });
}

}  // namespace lanescope
