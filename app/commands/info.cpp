// lanescope info: exact facts of a file, and its problems.
#include <memory>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/load.h"
#include "app/commands/output.h"
#include "core/export/tables/facts_writer.h"

namespace lanescope {

namespace {

struct InfoOptions {
    std::vector<std::string> traces;
    std::string align;
    Companions companions;
    OutputOptions output;
};

// A single file's page reports what could not be read, so no message is needed here.
Result<AlignedWithCost> load_files(const InfoOptions& options, std::string& failed) {
    const Result<std::vector<std::string>> paths = given_traces(options.traces, failed);
    if (!paths) return paths.error();
    if (paths->size() > 1) return load_joined(*paths, options.companions, options.align, failed);
    failed = paths->front();
    const Result<TraceWithCost> one = load_for_command(failed, options.companions);
    if (!one) return one.error();
    return AlignedWithCost{{{one->trace, {one->trace}}, {}}, one->cost};
}

int run_info(const InfoOptions& options) {
    std::string failed;
    const Result<AlignedWithCost> loaded = load_files(options, failed);
    if (!loaded) return report(loaded.error(), failed);
    const Trace& trace = *loaded->whole;
    JoinFacts join;
    if (loaded->parts.size() > 1) join = {alignment_text(loaded->aligned_by), loaded->parts};
    const TextStyle style = text_style(options.output);
    switch (options.output.format) {
        case TableFormat::text:
            return write_output(facts_as_text(trace, loaded->cost, join, style), options.output);
        case TableFormat::json:
            return write_output(facts_as_json(trace, loaded->cost, join), options.output);
        default:
            return write_output(
                write_table(facts_table(trace, loaded->cost, join), options.output.format),
                options.output);
    }
}

}  // namespace

void add_info_command(CLI::App& app, int& status) {
    auto options = std::make_shared<InfoOptions>();
    CLI::App* command = app.add_subcommand("info", "Exact facts of a file, and its problems");
    command
        ->add_option("TRACE", options->traces,
                     "The file; - reads standard input; several files are put on one clock")
        ->required();
    command
        ->add_option("--align", options->align,
                     "How to align several files: start, clock, step:N or event:NAME")
        ->type_name("HOW")
        ->check(check_alignment);
    add_companions(*command, options->companions);
    add_output_options(*command, options->output);
    command->footer(
        "Example:\n"
        "  lanescope info trace.json.gz --format json | jq .gpu_activities");
    command->callback([options, &status] { status = run_info(*options); });
}

}  // namespace lanescope
