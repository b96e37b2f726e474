#include "app/commands/trace_output.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "app/commands/commands.h"
#include "core/export/tables/text_file.h"
#include "core/export/traces/trace_json.h"
#include "core/export/traces/trace_perfetto.h"
#include "core/ingest/argument_scan.h"

namespace lanescope {

namespace {

bool is_perfetto_name(std::string_view path) {
    for (const std::string_view compressed : {".gz", ".zst"})
        if (path.ends_with(compressed)) path.remove_suffix(compressed.size());
    return path.ends_with(".pftrace") || path.ends_with(".perfetto-trace");
}

Result<void> write_events(const TraceExport& what, bool as_perfetto, const OutputOptions& output) {
    Result<std::unique_ptr<TextFile>> file =
        TextFile::create(output.path, output_rules(output, as_perfetto));
    if (!file) return file.error();
    const TakeText take = [&](std::string_view bytes) { return (*file)->write(bytes); };
    const Result<void> written =
        as_perfetto ? write_trace_perfetto(what, take) : write_trace_json(what, take);
    if (!written) return written.error();
    if (const Result<void> finished = (*file)->finish(); !finished) return finished.error();
    report_remark((*file)->remark());
    return {};
}

}  // namespace

void add_trace_output(CLI::App& command, TraceOutput& options) {
    add_output_path(command, options.output,
                    "The file to write; compressed if it ends in .gz or .zst")
        ->required();
    command
        .add_option("--format", options.format,
                    "kineto: JSON as PyTorch's profiler writes it, or perfetto: Perfetto's "
                    "protobuf (default: perfetto if the file ends in .pftrace or .perfetto-trace, "
                    "else kineto)")
        ->type_name("FORMAT")
        ->check(CLI::IsMember({"kineto", "perfetto"}));
    command.add_flag("--scrub", options.scrub,
                     "Remove paths, hosts, users, command lines, addresses, secrets and other "
                     "texts that do not describe the work, and list on stderr what was removed");
}

int write_trace_file(const TracePtr& trace, TraceSelection selection, const TraceOutput& options) {
    const bool as_perfetto = options.format.empty() ? is_perfetto_name(options.output.path)
                                                    : options.format == "perfetto";
    const std::unique_ptr<ArgumentScan> scan = open_argument_scan(trace);
    const auto read = [&](uint64_t source) -> Result<std::vector<Argument>> {
        if (!scan) return std::vector<Argument>();
        const Result<std::span<const RawArgument>> raw = scan->read(source);
        if (!raw) return raw.error();
        return resolved(*raw);
    };
    std::optional<Scrubber> scrubber;
    if (options.scrub) scrubber.emplace(*trace);
    const TraceExport what = {*trace, read, std::move(selection), scrubber ? &*scrubber : nullptr};
    const Result<void> done = write_events(what, as_perfetto, options.output);
    if (!done) return report_output(done.error());
    if (scrubber) fmt::print(stderr, "lanescope: {}\n", scrubber->report());
    return 0;
}

}  // namespace lanescope
