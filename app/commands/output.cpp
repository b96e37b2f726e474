#include "app/commands/output.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "app/commands/commands.h"

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
        case ErrorCode::cancelled:
            return "";
    }
    return "";
}

constexpr std::string_view kRemedy = "use --format csv, or set COLUMNS";

// COLUMNS, or a width that suits pagers and logs.
int width_without_terminal() {
    constexpr int kPipeWidth = 160;
    constexpr int kMaxWidth = 10'000;
    const char* const columns = std::getenv("COLUMNS");
    const long width = columns ? std::strtol(columns, nullptr, 10) : 0;
    return width > 0 ? static_cast<int>(std::min<long>(width, kMaxWidth)) : kPipeWidth;
}

bool write_all(std::FILE* file, const std::string& text) {
    return std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
}

}  // namespace

void add_output_options(CLI::App& command, OutputOptions& options, bool with_torch) {
    std::vector<std::string> formats = {"text", "csv", "json", "md"};
    if (with_torch) formats.emplace_back("torch");
    command
        .add_option_function<std::string>(
            "--format",
            [&options](const std::string& word) {
                options.torch = word == "torch";
                options.format = parse_table_format(word).value_or(TableFormat::text);
            },
            with_torch ? "text, csv, json, md or torch (default: text)"
                       : "text, csv, json or md (default: text)")
        ->type_name("FORMAT")
        ->check(CLI::IsMember(formats));
    command.add_option("-o,--output", options.path, "Write to a file instead of stdout")
        ->type_name("FILE");
}

void add_full_names(CLI::App& command, OutputOptions& options) {
    command.add_flag("--full-names", options.full_names,
                     "In text: whole names of kernels, and rows as wide as necessary");
}

TextStyle text_style(const OutputOptions& options) {
    TextStyle style;
    style.full_names = options.full_names;
    if (!options.path.empty() || !isatty(STDOUT_FILENO)) {
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

int write_output(const std::string& text, const OutputOptions& options) {
    if (options.path.empty()) {
        if (write_all(stdout, text)) return 0;
        fmt::print(stderr, "lanescope: cannot write to stdout: {}\n", std::strerror(errno));
        return kFailed;
    }
    std::FILE* file = std::fopen(options.path.c_str(), "wb");
    bool written = file && write_all(file, text);
    const int reason = errno;
    if (file) written = std::fclose(file) == 0 && written;
    if (written) return 0;
    fmt::print(stderr, "lanescope: cannot write {}: {}\n", options.path, std::strerror(reason));
    return kFailed;
}

int report(const Error& error, const std::string& path) {
    std::string message = "lanescope: ";
    if (!path.empty() && error.text.find(path) == std::string::npos) message += path + ": ";
    message += error.text;
    const bool says_where = error.byte_offset != Error::no_offset &&
                            (error.byte_offset > 0 || error.code == ErrorCode::damaged);
    if (says_where) message += fmt::format(" (at byte {})", error.byte_offset);
    const std::string_view advice = what_to_do(error.code);
    if (!advice.empty()) message += "\n" + std::string(advice);
    fmt::print(stderr, "{}\n", message);
    return error.code == ErrorCode::usage ? kWrongUsage : kFailed;
}

}  // namespace lanescope
