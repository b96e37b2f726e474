#include "app/commands/output.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/own_file.h"
#include "core/base/printable.h"
#include "core/base/url.h"
#include "core/export/tables/text_file.h"
#include "core/export/words/written_by.h"
#include "core/session/notes.h"
#include "core/session/settings.h"

namespace lanescope {

namespace {

bool environment_says(const char* name) {
    const char* value = std::getenv(name);
    return value && *value;
}

std::string_view what_to_do(ErrorCode code) {
    switch (code) {
        case ErrorCode::io:
            return "Check the path and its permissions.";
        case ErrorCode::unsupported:
            return "Lanescope reads these formats plain, or compressed with gzip or zstd.";
        case ErrorCode::damaged:
            return "Record the trace again, or cut the file before the position given.";
        case ErrorCode::empty:
            return "Record the trace again: the profiler wrote no events.";
        case ErrorCode::usage:
            return "See lanescope --help, or --help after a command.";
        case ErrorCode::no_memory:
            return "Load it on a machine with more memory.";
        case ErrorCode::cancelled:
            return "";
    }
    return "";
}

constexpr std::string_view kStdout = "/dev/stdout";
constexpr std::string_view kRemedy = "use --format csv, or set COLUMNS";

// COLUMNS, or a width that suits pagers and logs.
int width_without_terminal() {
    constexpr int kPipeWidth = 160;
    constexpr int kMaxWidth = 10'000;
    const char* const columns = std::getenv("COLUMNS");
    const long width = columns ? std::strtol(columns, nullptr, 10) : 0;
    return width > 0 ? static_cast<int>(std::min<long>(width, kMaxWidth)) : kPipeWidth;
}

// The values of an argument that the command may not have.
std::vector<std::string> values_of(const CLI::App& command, const std::string& name) {
    const CLI::Option* option = command.get_option_no_throw(name);
    return option ? option->results() : std::vector<std::string>();
}

std::vector<std::string> inputs_of(const CLI::App& command) {
    std::vector<std::string> inputs = {"-"};
    for (const std::string& trace : values_of(command, "TRACE")) {
        const NotesPlaces notes = notes_places(trace);
        inputs.insert(inputs.end(), {trace, notes.beside, notes.own});
    }
    for (const char* const option : {"--specs", "--baseline", "--compare", "--thresholds", "--file",
                                     "--graph-capture", "--compile-artifacts", "--classes"})
        for (const std::string& file : values_of(command, option)) inputs.push_back(file);
    if (const std::string folder = config_folder(); !folder.empty())
        inputs.insert(inputs.end(), {folder + "/gpu_specs.json", folder + "/kernel_classes.json"});
    return inputs;
}

// The format that the end of a file's name stands for; none if it stands for no format.
std::optional<TableFormat> table_format_of_name(std::string_view path) {
    if (is_compressed_name(path)) path.remove_suffix(path.size() - path.rfind('.'));
    const std::size_t dot = path.rfind('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const std::optional<TableFormat> format = parse_table_format(path.substr(dot + 1));
    return format == TableFormat::text ? std::nullopt : format;
}

}  // namespace

void add_output_options(CLI::App& command, OutputOptions& options, bool with_torch) {
    std::vector<std::string> formats = {"text", "csv", "json", "md", "arrow"};
    if (with_torch) formats.emplace_back("torch");
    command
        .add_option_function<std::string>(
            "--format",
            [&options](const std::string& word) {
                options.torch = word == "torch";
                options.format = parse_table_format(word).value_or(TableFormat::text);
            },
            with_torch ? "text, csv, json, md, arrow or torch (default: text)"
                       : "text, csv, json, md or arrow (default: text)")
        ->type_name("FORMAT")
        ->check(CLI::IsMember(formats));
    options.format_by_name = true;
    add_output_path(command, options,
                    "Write to a file instead of stdout; .csv, .json, .md and .arrow choose the "
                    "format");
}

CLI::Option* add_output_path(CLI::App& command, OutputOptions& options, const std::string& about) {
    options.command = &command;
    CLI::Option* path = command.add_option("-o,--output", options.path, about)->type_name("FILE");
    command.add_flag("--force", options.force,
                     "Replace the file even if Lanescope did not write it");
    command.parse_complete_callback([&options] {
        if (options.path.empty()) return;
        if (options.format_by_name && options.command->count("--format") == 0)
            options.format = table_format_of_name(options.path).value_or(options.format);
        const Result<void> allowed = check_output(options.path, output_rules(options));
        if (!allowed) throw CLI::RuntimeError(allowed.error().text, kFailed);
    });
    return path;
}

void add_full_names(CLI::App& command, OutputOptions& options) {
    command.add_flag("--full-names", options.full_names,
                     "In text: whole names of kernels, and rows as wide as necessary");
}

TextStyle text_style(const OutputOptions& options) {
    TextStyle style;
    style.full_names = options.full_names;
    const bool to_file = !options.path.empty() && !is_stdout(options.path);
    if (to_file || !isatty(STDOUT_FILENO)) {
        if (!options.full_names) style.width = width_without_terminal();
        style.remedy = kRemedy;
        return style;
    }
    winsize size = {};
    const bool fitted = !options.full_names && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    if (fitted) style.width = size.ws_col;
    const char* terminal = std::getenv("TERM");
    const bool dumb = !terminal || std::strcmp(terminal, "dumb") == 0;
    style.color = !dumb && !environment_says("NO_COLOR");
    return style;
}

OutputRules output_rules(const OutputOptions& options, bool binary) {
    OutputRules rules;
    rules.inputs = options.command ? inputs_of(*options.command) : std::vector<std::string>{"-"};
    rules.binary =
        binary || is_compressed_name(options.path) || options.format == TableFormat::arrow;
    rules.replaces = options.force;
    rules.is_ours = is_own_file;
    return rules;
}

bool is_stdout(std::string_view path) {
    return path == "-" || path == kStdout;
}

int write_output(const std::string& text, const OutputOptions& options) {
    const std::string path(options.path.empty() ? kStdout : options.path);
    const bool to_file = !options.path.empty() && !is_stdout(options.path);
    const Result<std::unique_ptr<TextFile>> file = TextFile::create(path, output_rules(options));
    if (!file) return report_output(file.error());
    if (to_file && options.format == TableFormat::markdown)
        if (const Result<void> marked = (*file)->write(std::string(kMarkdownMark)); !marked)
            return report_output(marked.error());
    if (const Result<void> written = (*file)->write(text); !written)
        return report_output(written.error());
    if (const Result<void> finished = (*file)->finish(); !finished)
        return report_output(finished.error());
    report_remark((*file)->remark());
    return 0;
}

void report_remark(const std::string& remark) {
    if (!remark.empty()) fmt::print(stderr, "lanescope: {}\n", remark);
}

int report_output(const Error& error) {
    fmt::print(stderr, "lanescope: {}\n", printable_lines(error.text));
    return kFailed;
}

int report(const Error& error, const std::string& path) {
    std::string message = "lanescope: ";
    // A usage error is not the trace's fault.
    const bool is_of_trace = !path.empty() && error.code != ErrorCode::usage;
    if (is_of_trace && error.text.find(path) == std::string::npos) message += path + ": ";
    message += error.text;
    const bool says_where = error.byte_offset != Error::no_offset &&
                            (error.byte_offset > 0 || error.code == ErrorCode::damaged);
    if (says_where) message += fmt::format(" (at byte {})", error.byte_offset);
    // The text about a file on another machine says what failed there.
    const bool is_remote = error.code == ErrorCode::io && is_url(path);
    // The trace lacks what the command shows. The text of the error says how to record it.
    const bool is_lack = error.code == ErrorCode::empty && path.empty();
    const std::string_view advice = !error.advice.empty()  ? std::string_view(error.advice)
                                    : is_remote || is_lack ? ""
                                                           : what_to_do(error.code);
    if (!advice.empty()) message += "\n" + std::string(advice);
    fmt::print(stderr, "{}\n", printable_lines(message));
    return error.code == ErrorCode::usage ? kWrongUsage : kFailed;
}

}  // namespace lanescope
