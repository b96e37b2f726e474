// lanescope summary: a trace on one screen.
#include <memory>
#include <string>

#include "app/commands/commands.h"
#include "app/commands/load.h"
#include "app/commands/output.h"
#include "core/analysis/structure/time_range.h"
#include "core/export/tables/summary_writer.h"
#include "core/insight/findings/story.h"

namespace lanescope {

namespace {

constexpr double kMinShare = 0.01;  // of the findings in the story

struct SummaryOptions {
    std::string trace;
    Companions companions;
    std::string range;
    OutputOptions output;
};

int run_summary(const SummaryOptions& options) {
    const Result<TraceWithCost> loaded = load_for_command(options.trace, options.companions);
    if (!loaded) return report(loaded.error(), options.trace);
    const TraceContext context(loaded->trace);
    const Result<TableQuery> query = query_for_command(context, options.range);
    if (!query) return report(query.error(), "");
    const Findings found = find_story(context, Thresholds(), {*query, kMinShare});
    const TextStyle style = text_style(options.output);
    switch (options.output.format) {
        case TableFormat::text:
            return write_output(summary_as_text(context, found, style), options.output);
        case TableFormat::json:
            return write_output(summary_as_json(context, found), options.output);
        default:
            return write_output(
                write_table(summary_table(context, found), options.output.format, style),
                options.output);
    }
}

}  // namespace

void add_summary_command(CLI::App& app, int& status) {
    auto options = std::make_shared<SummaryOptions>();
    CLI::App* command = app.add_subcommand("summary", "What happened in a trace, on one screen");
    command->add_option("TRACE", options->trace, "The file; - reads standard input")->required();
    add_companions(*command, options->companions);
    command
        ->add_option("--range", options->range,
                     "Only this time range: A..B, such as 1.2ms..3ms, or step:N")
        ->type_name("RANGE");
    add_output_options(*command, options->output);
    command->footer(
        "Example:\n"
        "  lanescope summary trace.json.gz --range step:4");
    command->callback([options, &status] { status = run_summary(*options); });
}

}  // namespace lanescope
