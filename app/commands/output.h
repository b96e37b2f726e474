// Where a command writes its data, and in which form: --format and -o, stdout, and the terminal's
// abilities.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "core/base/result.h"
#include "core/export/table_writer.h"

namespace lanescope {

struct OutputOptions {
    TableFormat format = TableFormat::text;
    bool torch = false;  // use torch's own text layout instead of `format`
    std::string path;    // empty: stdout
    bool full_names = false;
};

// Adds --format and -o to a command. `with_torch`: torch's text layout is also available.
void add_output_options(CLI::App& command, OutputOptions& options, bool with_torch = false);

// Adds --full-names to a command whose tables contain names of kernels.
void add_full_names(CLI::App& command, OutputOptions& options);

// The width of text is the terminal's; elsewhere COLUMNS, or 160. Colour is only for terminals, and
// not with NO_COLOR.
TextStyle text_style(const OutputOptions& options);

// Writes all text, or says on stderr why not. Returns the exit status.
int write_output(const std::string& text, const OutputOptions& options);

// Reports an error and its remedy on stderr; returns the exit status.
int report(const Error& error, const std::string& path);

}  // namespace lanescope
