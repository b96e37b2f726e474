// lanescope fleet: finds the rank of a job that delays the others. Implemented in Python.
#include <memory>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/python_module.h"

namespace lanescope {

namespace {

struct HistoryOptions {
    std::vector<std::string> fleets;
    std::string format = "text";
};

struct FleetOptions {
    std::vector<std::string> paths;
    std::string output;
    std::string scheduler;
    std::string workers;
    std::string memory;
    std::string format = "text";
    bool resume = false;
    bool verify = false;
};

// Arguments of the Python module. Paths come last, after "--", because they may begin with a dash.
std::vector<std::string> words_for(const FleetOptions& options) {
    std::vector<std::string> words = {"--output=" + options.output, "--format=" + options.format};
    const auto add = [&](const char* name, const std::string& value) {
        if (!value.empty()) words.push_back(name + value);
    };
    add("--scheduler=", options.scheduler);
    add("--workers=", options.workers);
    add("--memory=", options.memory);
    if (options.resume) words.emplace_back("--resume");
    if (options.verify) words.emplace_back("--verify");
    words.emplace_back("--");
    words.insert(words.end(), options.paths.begin(), options.paths.end());
    return words;
}

void add_history_command(CLI::App& fleet, int& status) {
    auto options = std::make_shared<HistoryOptions>();
    CLI::App* command = fleet.add_subcommand(
        "history", "How the figures of many runs of a job developed, and since when one differs");
    command
        ->add_option("FLEET", options->fleets,
                     "Folders that \"lanescope fleet\" wrote, folders of such folders, or patterns")
        ->required();
    command->add_option("--format", options->format, "text or json")
        ->check(CLI::IsMember({"text", "json"}));
    command->footer("Example:\n  lanescope fleet history nightly/");
    command->callback([options, &status] {
        std::vector<std::string> words = {"--format=" + options->format, "--"};
        words.insert(words.end(), options->fleets.begin(), options->fleets.end());
        status = run_python_module("fleet.history", words);
    });
}

}  // namespace

void add_fleet_command(CLI::App& app, int& status) {
    auto options = std::make_shared<FleetOptions>();
    CLI::App* command = app.add_subcommand(
        "fleet", "Which rank of a job holds the others up, since when, why, and at what cost");
    command->add_option("TRACE", options->paths,
                        "Traces of the ranks: files, folders, patterns, and URLs such as "
                        "s3://bucket/run/");
    command
        ->add_option("-o,--output", options->output,
                     "The folder of the results: a new or empty one, which all workers see")
        ->type_name("DIR");
    CLI::Option* scheduler = command
                                 ->add_option("--scheduler", options->scheduler,
                                              "A scheduler of Dask, such as tcp://head:8786")
                                 ->type_name("ADDRESS");
    command
        ->add_option("--workers", options->workers,
                     "Processes on this machine; one for each core by default")
        ->type_name("N")
        ->excludes(scheduler);
    command
        ->add_option("--memory", options->memory,
                     "What loading one trace may take, such as 4G (the default)")
        ->type_name("BYTES");
    CLI::Option* resume = command->add_flag(
        "--resume", options->resume,
        "Go on in a folder with results: read only files that are new or have changed");
    command
        ->add_flag("--verify", options->verify,
                   "With --resume: compare the content of files, too, not only sizes and times")
        ->needs(resume);
    command->add_option("--format", options->format, "text or json")
        ->check(CLI::IsMember({"text", "json"}));
    command->footer(
        "Needs the Python package with Dask: pip install \"lanescope[fleet]\". LANESCOPE_PYTHON "
        "names the Python (python3).\n\nExample:\n  lanescope fleet traces/ -o fleet");
    add_history_command(*command, status);
    command->callback([command, options, &status] {
        if (!command->get_subcommands().empty()) return;
        // Not required(): the subcommand has other arguments.
        if (options->paths.empty()) throw CLI::RequiredError("TRACE");
        if (options->output.empty()) throw CLI::RequiredError("--output");
        status = run_python_module("fleet", words_for(*options));
    });
}

}  // namespace lanescope
