// lanescope: the command line. Each command is a file in app/commands; this one joins them.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "app/commands/commands.h"

namespace {

constexpr const char* kAbout = "Lanescope shows what CPU and GPU do in a profile of an ML program.";
constexpr const char* kExamples =
    "Examples:\n"
    "  lanescope trace.json.gz                          open the window\n"
    "  lanescope summary trace.json.gz                  what happened, in one screen\n"
    "  lanescope info trace.json.gz                     exact facts of a file, and what was wrong "
    "with it\n"
    "  lanescope table lanes trace.json.gz --sort busy_ns --top 5\n"
    "  lanescope screenshot trace.json.gz -o trace.png  no display needed\n"
    "\n"
    "Data goes to stdout, everything else to stderr. Exit status: 0 fine, 1 failed, 2 wrong "
    "usage.\n"
    "A file that is named like a command is meant by ./NAME.";

// Help and version go to stdout and are no failure; wrong usage is told in one line.
int explain(const CLI::App& app, const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    std::fprintf(stderr, "lanescope: %s\nSee lanescope --help, or --help after a command.\n",
                 error.what());
    return lanescope::kWrongUsage;
}

int run(int argc, char** argv) {
    CLI::App app(kAbout, "lanescope");
    app.footer(kExamples);
    app.set_version_flag("--version", "lanescope " LANESCOPE_VERSION);
    app.require_subcommand(0, 1);
    std::string trace;
    app.add_option("TRACE", trace, "The file to open in the window");

    int status = 0;
    lanescope::add_info_command(app, status);
    lanescope::add_summary_command(app, status);
    lanescope::add_table_command(app, status);
    lanescope::add_histogram_command(app, status);
    lanescope::add_find_command(app, status);
    lanescope::add_notes_command(app, status);
    lanescope::add_columns_command(app, status);
    lanescope::add_screenshot_command(app, status);

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return explain(app, error);
    }
    if (!app.get_subcommands().empty()) return status;
    if (trace.empty()) {
        std::fputs(app.help().c_str(), stderr);
        return lanescope::kWrongUsage;
    }
    return lanescope::open_window(trace);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "lanescope: %s\n", error.what());
        return lanescope::kFailed;
    }
}
