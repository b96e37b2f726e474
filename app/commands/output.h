// Where a command writes its data, and in which form: --format and -o, stdout, and the terminal's
// abilities.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "core/base/output_file.h"
#include "core/base/result.h"
#include "core/export/tables/table_writer.h"

namespace lanescope {

struct OutputOptions {
    TableFormat format = TableFormat::text;
    bool torch = false;  // use torch's own text layout instead of `format`
    std::string path;    // empty: stdout
    bool full_names = false;
    bool force = false;
    bool format_by_name = false;        // without --format, the path's end chooses the format
    const CLI::App* command = nullptr;  // its arguments name the inputs
};

// Adds -o and --force. The path is checked when all arguments were read.
CLI::Option* add_output_path(CLI::App& command, OutputOptions& options, const std::string& about);

// Adds --format and -o to a command. `with_torch`: torch's text layout is also available.
void add_output_options(CLI::App& command, OutputOptions& options, bool with_torch = false);

// Adds --full-names to a command whose tables contain names of kernels.
void add_full_names(CLI::App& command, OutputOptions& options);

// The width of text is the terminal's; elsewhere COLUMNS, or 160. Colour is only for terminals, and
// not with NO_COLOR.
TextStyle text_style(const OutputOptions& options);

// The rules for the output of a command. Its traces, their notes and its files of specifications
// are never replaced; another existing file only if Lanescope wrote it, or with --force.
OutputRules output_rules(const OutputOptions& options, bool binary = false);

// Whether the path means standard output.
bool is_stdout(std::string_view path);

// Writes all text, or says on stderr why not. Returns the exit status.
int write_output(const std::string& text, const OutputOptions& options);

// Reports that a file was written in place; an empty remark is not reported.
void report_remark(const std::string& remark);
// Reports why an output was refused or cannot be written; returns the exit status.
int report_output(const Error& error);

// Reports an error and its remedy on stderr; returns the exit status.
int report(const Error& error, const std::string& path);

}  // namespace lanescope
