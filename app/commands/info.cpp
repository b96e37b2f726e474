// lanescope info: exact facts of a file, and its problems.
#include <memory>
#include <string>

#include "app/commands/commands.h"
#include "app/commands/load.h"
#include "app/commands/output.h"
#include "core/export/tables/facts_writer.h"

namespace lanescope {

namespace {

struct InfoOptions {
    std::string trace;
    std::vector<std::string> graph_captures;
    OutputOptions output;
};

int run_info(const InfoOptions& options) {
    const Result<TraceWithCost> loaded = load_for_command(options.trace, options.graph_captures);
    if (!loaded) return report(loaded.error(), options.trace);
    const Trace& trace = *loaded->trace;
    const TextStyle style = text_style(options.output);
    switch (options.output.format) {
        case TableFormat::text:
            return write_output(facts_as_text(trace, loaded->cost, style), options.output);
        case TableFormat::json:
            return write_output(facts_as_json(trace, loaded->cost), options.output);
        default:
            return write_output(
                write_table(facts_table(trace, loaded->cost), options.output.format),
                options.output);
    }
}

}  // namespace

void add_info_command(CLI::App& app, int& status) {
    auto options = std::make_shared<InfoOptions>();
    CLI::App* command = app.add_subcommand("info", "Exact facts of a file, and its problems");
    command->add_option("TRACE", options->trace, "The file; - reads standard input")->required();
    add_graph_captures(*command, options->graph_captures);
    add_output_options(*command, options->output);
    command->footer(
        "Example:\n"
        "  lanescope info trace.json.gz --format json | jq .gpu_activities");
    command->callback([options, &status] { status = run_info(*options); });
}

}  // namespace lanescope
