// lanescope histogram: how the duration of a kernel or operator varies from run to run.
#include "core/analysis/statistics/histogram.h"

#include <memory>
#include <string>

#include "app/commands/commands.h"
#include "app/commands/load.h"
#include "app/commands/output.h"
#include "core/analysis/structure/time_range.h"
#include "core/export/tables/histogram_writer.h"

namespace lanescope {

namespace {

struct HistogramOptions {
    std::string trace;
    Companions companions;
    std::string kernel;
    std::string op;
    std::string range;
    OutputOptions output;
};

int run_histogram(const HistogramOptions& options) {
    const Result<TraceWithCost> loaded = load_for_command(options.trace, options.companions);
    if (!loaded) return report(loaded.error(), options.trace);
    report_incomplete(options.trace, *loaded->trace);
    const TracePtr& trace = loaded->trace;
    const TraceContext context(trace);
    const Result<TableQuery> query = query_for_command(context, options.range);
    if (!query) return report(query.error(), "");
    const bool kernels = options.op.empty();
    const Result<DurationHistogram> histogram =
        duration_histogram(context, *query, kernels ? HistogramOf::kernels : HistogramOf::operators,
                           kernels ? options.kernel : options.op);
    if (!histogram) return report(histogram.error(), "");
    const TextStyle style = text_style(options.output);
    switch (options.output.format) {
        case TableFormat::text:
            return write_output(histogram_as_text(*trace, *histogram, style), options.output);
        case TableFormat::json:
            return write_output(histogram_as_json(*trace, *histogram), options.output);
        default:
            return write_output(
                write_table(histogram_table(*histogram), options.output.format, style),
                options.output);
    }
}

}  // namespace

void add_histogram_command(CLI::App& app, int& status) {
    auto options = std::make_shared<HistogramOptions>();
    CLI::App* command = app.add_subcommand(
        "histogram", "Distribution of a kernel's or operator's duration over its runs");
    command->add_option("TRACE", options->trace, "The file; - reads standard input")->required();
    add_companions(*command, options->companions);
    auto* what = command->add_option_group("what");
    what->add_option("--kernel", options->kernel,
                     "Kernels, copies and sets whose name matches this regular expression")
        ->type_name("RE");
    what->add_option("--operator", options->op,
                     "Operators and annotations whose name matches this regular expression")
        ->type_name("RE");
    what->require_option(1);
    command
        ->add_option("--range", options->range,
                     "Only this time range: A..B, such as 1.2ms..3ms, or step:N")
        ->type_name("RANGE");
    add_output_options(*command, options->output);
    command->footer(
        "Example:\n"
        "  lanescope histogram trace.json.gz --kernel 'flash_fwd'");
    command->callback([options, &status] { status = run_histogram(*options); });
}

}  // namespace lanescope
