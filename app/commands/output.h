// Where a command's data goes, and how: --format and -o, stdout, and what the terminal can show.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "core/base/result.h"
#include "core/export/table_writer.h"

namespace lanescope {

struct OutputOptions {
    TableFormat format = TableFormat::text;
    bool torch = false;  // torch's own text layout instead of `format`
    std::string path;    // empty: stdout
};

// Adds --format and -o to a command. `with_torch`: it has torch's own text layout too.
void add_output_options(CLI::App& command, OutputOptions& options, bool with_torch = false);

// Width and colour for text on stdout: both only on a terminal, colour not with NO_COLOR.
TextStyle text_style(const OutputOptions& options);

// Writes all of it, or says on stderr why not. Returns the exit status.
int write_output(const std::string& text, const OutputOptions& options);

// Says on stderr what is wrong and what to do; returns the exit status.
int report(const Error& error, const std::string& path);

}  // namespace lanescope
