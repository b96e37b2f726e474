// The commands of `lanescope`. Each adds itself to the parser and, when it was asked for, runs and
// sets `status`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace lanescope {

inline constexpr int kFailed = 1;
inline constexpr int kWrongUsage = 2;

void add_info_command(CLI::App& app, int& status);
void add_summary_command(CLI::App& app, int& status);
void add_table_command(CLI::App& app, int& status);
void add_histogram_command(CLI::App& app, int& status);
void add_find_command(CLI::App& app, int& status);
void add_notes_command(CLI::App& app, int& status);
void add_columns_command(CLI::App& app, int& status);
void add_screenshot_command(CLI::App& app, int& status);

// Replaces this program by the viewer that lies beside it. Returns only when that fails, with an
// exit status.
int open_window(const std::string& trace);
int run_viewer(const std::vector<std::string>& arguments);

}  // namespace lanescope
