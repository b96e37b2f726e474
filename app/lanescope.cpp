// lanescope: the command line. Combines the commands in app/commands.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/arguments.h"
#include "app/commands/commands.h"
#include "app/commands/load.h"
#include "app/commands/version.h"
#include "core/ingest/format.h"

namespace {

constexpr const char* kAbout = "Lanescope shows what CPU and GPU do in a profile of an ML program.";
constexpr const char* kExamples =
    "Examples:\n"
    "  lanescope trace.json.gz                          open the window\n"
    "  lanescope rank0.json.gz rank1.json.gz            two traces below each other\n"
    "  lanescope --reuse rank2.json.gz                  add it to the open window, or replace\n"
    "  lanescope summary trace.json.gz                  what happened, on one screen\n"
    "  lanescope compare before.json.gz after.json.gz   what changed between two runs\n"
    "  lanescope info trace.json.gz                     exact facts of a file, and its problems\n"
    "  lanescope table lanes trace.json.gz --sort busy_ns --top 5\n"
    "  lanescope screenshot trace.json.gz -o trace.png  no display needed\n"
    "  lanescope record -- python train.py              run a program and capture what it does\n"
    "  lanescope --follow run.spool                     watch a recording while it grows\n"
    "  lanescope ssh://node/scratch/run.json.gz         a trace on another machine\n"
    "  lanescope attach --duration 2s --open            make running PyTorch processes record\n"
    "\n"
    "Data goes to stdout, everything else to stderr. Exit status: 0 fine, 1 failed, 2 wrong "
    "usage, 3 slower (compare --fail-over).\n"
    "To open a file that is named like a command, write ./NAME.";

std::string footer() {
    std::string text = kExamples;
    text += "\n\nOpens, recognised by content:";
    for (const lanescope::Format* const format : lanescope::formats())
        text += "\n  " + std::string(format->text().about);
    return text;
}

void add_commands(CLI::App& app, int& status) {
    lanescope::add_info_command(app, status);
    lanescope::add_summary_command(app, status);
    lanescope::add_findings_command(app, status);
    lanescope::add_report_command(app, status);
    lanescope::add_compare_command(app, status);
    lanescope::add_table_command(app, status);
    lanescope::add_histogram_command(app, status);
    lanescope::add_flame_command(app, status);
    lanescope::add_find_command(app, status);
    lanescope::add_sql_command(app, status);
    lanescope::add_what_if_command(app, status);
    lanescope::add_notes_command(app, status);
    lanescope::add_columns_command(app, status);
    lanescope::add_formats_command(app, status);
    lanescope::add_screenshot_command(app, status);
    lanescope::add_attach_command(app, status);
    lanescope::add_record_command(app, status);
    lanescope::add_convert_command(app, status);
    lanescope::add_cut_command(app, status);
    lanescope::add_doctor_command(app, status);
    lanescope::add_mcp_command(app, status);
    lanescope::add_fleet_command(app, status);
    lanescope::add_help_command(app, status);
    lanescope::add_complete_command(app, status);
}

int run(int argc, char** argv) {
    CLI::App app(kAbout, "lanescope");
    app.footer(footer());
    app.set_version_flag("--version", lanescope::version_text());
    app.require_subcommand(0, 1);
    std::vector<std::string> traces;
    lanescope::WindowWishes wishes;
    std::string followed;
    bool reuse = false;
    app.add_option(
        "TRACE", traces,
        "The file to open in the window, or ssh://HOST/PATH; several files are shown below "
        "each other");
    app.add_option("--align", wishes.alignment, lanescope::kAlignHelp)
        ->type_name("HOW")
        ->check(lanescope::check_alignment);
    app.add_option("--specs", wishes.specs, lanescope::kSpecsHelp)->type_name("FILE");
    lanescope::add_companions(app, wishes.companions);
    app.add_option("--follow", followed,
                   "Open the window and show this recording while it grows; waits until it exists")
        ->type_name("SPOOL")
        ->excludes("--graph-capture")
        ->excludes("--compile-artifacts")
        ->excludes("--classes");
    app.add_flag("--reuse", reuse,
                 "Give the files to the open window, which asks whether to add them; without one, "
                 "open a window")
        ->excludes("--align")
        ->excludes("--specs")
        ->excludes("--graph-capture")
        ->excludes("--compile-artifacts")
        ->excludes("--classes")
        ->excludes("--follow");

    int status = 0;
    add_commands(app, status);

    try {
        std::vector<std::string> words = lanescope::words_of(app, argc, argv);
        std::ranges::reverse(words);  // as CLI11 wants them
        app.parse(std::move(words));
    } catch (const CLI::ParseError& error) {
        return lanescope::explain(app, error);
    }
    if (!app.get_subcommands().empty()) return status;
    if (!followed.empty()) {
        if (traces.empty() && wishes.alignment.empty())
            return lanescope::open_recording(followed, wishes.specs);
        std::fputs("lanescope: --follow shows one recording, without other traces\n", stderr);
        return lanescope::kWrongUsage;
    }
    if (traces.empty()) {
        std::fputs(app.help().c_str(), stderr);
        return lanescope::kWrongUsage;
    }
    if (reuse) return lanescope::reuse_window(traces);
    return lanescope::open_window(traces, wishes);
}

}  // namespace

int main(int argc, char** argv) {
    // If the parent process ignored SIGCHLD, this process would ignore it too, and the system would
    // discard the exit status of child processes.
    std::signal(SIGCHLD, SIG_DFL);
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "lanescope: %s\n", error.what());
        return lanescope::kFailed;
    }
}
