// lanescope convert: writes any readable trace as Kineto JSON, or as Perfetto's protobuf.
#include <memory>
#include <string>

#include "app/commands/commands.h"
#include "app/commands/load.h"
#include "app/commands/trace_output.h"

namespace lanescope {

namespace {

struct ConvertOptions {
    std::string trace;
    Companions companions;
    TraceOutput output;
};

int run_convert(const ConvertOptions& options) {
    const Result<TraceWithCost> loaded = load_for_command(options.trace, options.companions);
    if (!loaded) return report(loaded.error(), options.trace);
    return write_trace_file(loaded->trace, {}, options.output);
}

}  // namespace

void add_convert_command(CLI::App& app, int& status) {
    auto options = std::make_shared<ConvertOptions>();
    CLI::App* command =
        app.add_subcommand("convert", "Write a trace in a format that other viewers can open");
    command->add_option("TRACE", options->trace, "A file of any format that Lanescope opens")
        ->required();
    add_companions(*command, options->companions);
    add_trace_output(*command, options->output);
    command->footer(
        "The JSON has the format of PyTorch's profiler, which Perfetto and chrome://tracing can "
        "open. Perfetto's protobuf is smaller, has exact nanoseconds, and shows all slices of "
        "streams whose kernels overlap.\n\n"
        "Examples:\n"
        "  lanescope convert run.spool -o run.json.gz\n"
        "  lanescope convert run.spool -o run.pftrace\n"
        "  lanescope convert trace.json.gz --scrub -o to_share.json.gz");
    command->callback([options, &status] { status = run_convert(*options); });
}

}  // namespace lanescope
