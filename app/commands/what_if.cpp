// lanescope what-if: step time if a row were faster, fused or launched for free.
#include "core/insight/what_if/what_if.h"

#include <cstdio>
#include <memory>
#include <string>

#include "app/commands/commands.h"
#include "app/commands/count_check.h"
#include "app/commands/load.h"
#include "app/commands/number_checks.h"
#include "app/commands/output.h"
#include "core/analysis/structure/time_range.h"

namespace lanescope {

namespace {

struct WhatIfOptions {
    std::string trace;
    Companions companions;
    std::string kernel;
    std::string op;
    std::string range;
    double faster = 2;
    std::size_t top = 20;
    OutputOptions output;
};

int run_what_if(const WhatIfOptions& options) {
    const Result<TraceWithCost> loaded = load_for_command(options.trace, options.companions);
    if (!loaded) return report(loaded.error(), options.trace);
    report_incomplete(options.trace, *loaded->trace);
    const TraceContext context(loaded->trace);
    const Result<TableQuery> parsed = query_for_command(context, options.range);
    if (!parsed) return report(parsed.error(), "");
    const TableQuery& query = *parsed;
    const std::string missing = missing_edges(context);
    if (!missing.empty()) std::fprintf(stderr, "lanescope: %s\n", missing.c_str());
    const auto write = [&](const Table& table) {
        return write_output(write_table(table, options.output.format, text_style(options.output)),
                            options.output);
    };
    if (options.kernel.empty() && options.op.empty())
        return write(what_helps_table(context, query, options.faster, options.top));
    const bool kernels = options.op.empty();
    const std::string& expression = kernels ? options.kernel : options.op;
    const Result<Change> change =
        change_of(context, kernels ? ChangeOf::kernels : ChangeOf::operators, expression);
    if (!change) return report(change.error(), "");
    return write(what_if_table(context, query, *change, expression, options.faster));
}

}  // namespace

void add_what_if_command(CLI::App& app, int& status) {
    auto options = std::make_shared<WhatIfOptions>();
    CLI::App* command =
        app.add_subcommand("what-if", "Step time if a row were faster, fused or launched for free");
    command->add_option("TRACE", options->trace, "The file; - reads standard input")->required();
    add_companions(*command, options->companions);
    auto* kernel =
        command
            ->add_option("--kernel", options->kernel,
                         "Kernels, copies and sets whose name matches this regular expression")
            ->type_name("RE");
    command
        ->add_option(
            "--operator", options->op,
            "Operators, calls and data loaders whose name matches this regular expression, with "
            "everything that they call and launch")
        ->type_name("RE")
        ->excludes(kernel);
    command->add_option("--faster", options->faster, "How many times faster (default: 2)")
        ->type_name("K")
        ->check(check_number(kLeastFactor, kLargestFactor));
    command
        ->add_option("--range", options->range,
                     "Only steps in this range: A..B, such as 1.2ms..3ms, or step:N")
        ->type_name("RANGE");
    command
        ->add_option("--top", options->top,
                     "Without --kernel and --operator: how many of the names with the most time on "
                     "the critical path (default: 20)")
        ->type_name("N")
        ->check(check_count);
    add_output_options(*command, options->output);
    add_full_names(*command, options->output);
    command->footer(
        "Without --kernel and --operator: the changes that would help most.\n\nExamples:\n  "
        "lanescope what-if trace.json.gz\n  lanescope what-if trace.json.gz --kernel 'flash_fwd' "
        "--faster 3 --range step:4");
    command->callback([options, &status] { status = run_what_if(*options); });
}

}  // namespace lanescope
