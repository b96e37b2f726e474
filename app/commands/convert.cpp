// lanescope convert: writes any readable trace as Kineto JSON.
#include <memory>
#include <string>

#include "app/commands/commands.h"
#include "app/commands/load.h"
#include "app/commands/output.h"
#include "core/export/text_file.h"
#include "core/export/trace_json.h"
#include "core/ingest/argument_scan.h"

namespace lanescope {

namespace {

struct ConvertOptions {
    std::string trace;
    OutputOptions output;
};

Result<void> convert(const TracePtr& trace, const OutputOptions& output) {
    const std::unique_ptr<ArgumentScan> scan = open_argument_scan(trace);
    Result<std::unique_ptr<TextFile>> file = TextFile::create(output.path, output_rules(output));
    if (!file) return file.error();
    const auto read = [&](uint64_t source) -> Result<std::vector<Argument>> {
        if (!scan) return std::vector<Argument>();
        const Result<std::span<const RawArgument>> raw = scan->read(source);
        if (!raw) return raw.error();
        return resolved(*raw);
    };
    const Result<void> written =
        write_trace_json(*trace, read, [&](std::string_view text) { return (*file)->write(text); });
    if (!written) return written.error();
    if (const Result<void> finished = (*file)->finish(); !finished) return finished.error();
    report_remark((*file)->remark());
    return {};
}

int run_convert(const ConvertOptions& options) {
    const Result<TraceWithCost> loaded = load_for_command(options.trace);
    if (!loaded) return report(loaded.error(), options.trace);
    const Result<void> done = convert(loaded->trace, options.output);
    return done ? 0 : report_output(done.error());
}

}  // namespace

void add_convert_command(CLI::App& app, int& status) {
    auto options = std::make_shared<ConvertOptions>();
    CLI::App* command =
        app.add_subcommand("convert", "Write a trace as JSON that other viewers can open");
    command->add_option("TRACE", options->trace, "A file of any format that Lanescope opens")
        ->required();
    add_output_path(*command, options->output,
                    "The file to write; compressed if it ends in .gz or .zst")
        ->required();
    command->footer(
        "The JSON has the format of PyTorch's profiler, which Perfetto and chrome://tracing can "
        "open.\n\nExample:\n  lanescope convert run.spool -o run.json.gz");
    command->callback([options, &status] { status = run_convert(*options); });
}

}  // namespace lanescope
