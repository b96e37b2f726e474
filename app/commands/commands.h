// The commands of `lanescope`. Each function adds its command to the parser. A command that was
// called runs and sets `status`.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/session/companions.h"
#include "core/table/columns.h"

namespace lanescope {

inline constexpr int kFailed = 1;
inline constexpr int kWrongUsage = 2;
inline constexpr const char* kAlignHelp =
    "How to align several files: start, clock, step:N or event:NAME";
inline constexpr const char* kSpecsHelp = "A file with figures of devices: see docs/models.md";
inline constexpr const char* kClassesHelp =
    "A file that says of kernels by name what they do and to which group they belong: see "
    "docs/numbers.md";

void add_info_command(CLI::App& app, int& status);
void add_summary_command(CLI::App& app, int& status);
void add_findings_command(CLI::App& app, int& status);
void add_report_command(CLI::App& app, int& status);
void add_compare_command(CLI::App& app, int& status);
void add_table_command(CLI::App& app, int& status);
// A table of `table` that compares several traces.
void add_traces_table(CLI::App& tables, int& status);
void add_ranks_table(CLI::App& tables, int& status);
void add_histogram_command(CLI::App& app, int& status);
void add_flame_command(CLI::App& app, int& status);
void add_find_command(CLI::App& app, int& status);
void add_sql_command(CLI::App& app, int& status);
void add_notes_command(CLI::App& app, int& status);
void add_what_if_command(CLI::App& app, int& status);
void add_columns_command(CLI::App& app, int& status);
void add_formats_command(CLI::App& app, int& status);
void add_screenshot_command(CLI::App& app, int& status);
void add_attach_command(CLI::App& app, int& status);
void add_doctor_command(CLI::App& app, int& status);
void add_mcp_command(CLI::App& app, int& status);
void add_fleet_command(CLI::App& app, int& status);
void add_record_command(CLI::App& app, int& status);
void add_convert_command(CLI::App& app, int& status);
void add_cut_command(CLI::App& app, int& status);
void add_help_command(CLI::App& app, int& status);
// Hidden: what the completion of shells asks for.
void add_complete_command(CLI::App& app, int& status);

// Checks an alignment for CLI11: returns "", or what is wrong with the text.
std::string check_alignment(const std::string& text);

// The library that recorded programs load: beside this program, or where it is installed.
std::optional<std::string> find_injected_library();

// Replaces this program by the viewer in the same folder. Returns only on failure, with an exit
// status.
struct WindowWishes {
    std::string alignment = {};  // see parse_alignment(); empty: the best
    std::string specs = {};      // a file with figures of devices; empty: only the user's own
    Companions companions = {};
};
int open_window(const std::vector<std::string>& traces, const WindowWishes& wishes);
// Gives the traces to the open window of this user and display. Without one, opens a window: then
// it returns only on failure.
int reuse_window(const std::vector<std::string>& traces);
// Opens the viewer for a recording that it waits for and follows.
int open_recording(const std::string& path, const std::string& specs);
int run_viewer(const std::vector<std::string>& arguments);

}  // namespace lanescope
