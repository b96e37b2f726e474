// lanescope cut: writes a range of a trace as a new trace file.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "app/commands/commands.h"
#include "app/commands/load.h"
#include "app/commands/trace_output.h"
#include "core/analysis/context.h"
#include "core/analysis/structure/time_range.h"

namespace lanescope {

namespace {

struct CutOptions {
    std::string trace;
    Companions companions;
    std::string range;
    TraceOutput output;
};

int run_cut(const CutOptions& options) {
    const Result<TraceWithCost> loaded = load_for_command(options.trace, options.companions);
    if (!loaded) return report(loaded.error(), options.trace);
    report_incomplete(options.trace, *loaded->trace);
    const TraceContext context(loaded->trace);
    const Result<TableQuery> query = query_for_command(context, options.range);
    if (!query) return report(query.error(), "");
    TraceSelection selection = TraceSelection::in_range(context, *query->range);
    if (selection.is_empty())
        return report({ErrorCode::usage, Error::no_offset,
                       fmt::format("The range {} contains no event; lanescope info {} gives the "
                                   "length of the trace.",
                                   options.range, options.trace)},
                      "");
    return write_trace_file(loaded->trace, std::move(selection), options.output);
}

}  // namespace

void add_cut_command(CLI::App& app, int& status) {
    auto options = std::make_shared<CutOptions>();
    CLI::App* command = app.add_subcommand("cut", "Write a range of a trace as a smaller trace");
    command->add_option("TRACE", options->trace, "A file of any format that Lanescope opens")
        ->required();
    add_companions(*command, options->companions);
    command
        ->add_option("--range", options->range,
                     "The range to keep: A..B, such as 1.2ms..3ms, or step:N")
        ->type_name("RANGE")
        ->required();
    add_trace_output(*command, options->output);
    command->footer(
        "Slices that reach over a border are kept whole, with their true begin and duration. "
        "These are kept as well: GPU work that was launched in the range; the last and the next "
        "activity of each stream; the calls that launched kept GPU work, with their callers; "
        "allocations of memory that is held at the "
        "range's begin. Therefore tables have the same numbers for this range as before; --range "
        "step:N finds the step again where steps have numbers.\n\n"
        "Examples:\n"
        "  lanescope cut trace.json.gz --range step:3 -o step3.json.gz\n"
        "  lanescope cut trace.json.gz --range 1.2s..1.3s -o stall.pftrace");
    command->callback([options, &status] { status = run_cut(*options); });
}

}  // namespace lanescope
