// lanescope mcp: a server of the Model Context Protocol, which the Python package contains.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "app/commands/commands.h"

namespace lanescope {

namespace {

// Runs a module of the package, or says what is missing. The names of folders are arguments, never
// part of the program. Nothing is imported from the current folder, which may hold anything.
constexpr const char* kRunModule =
    "import sys\n"
    "if sys.path[0] == '': del sys.path[0]\n"
    "import importlib.util, runpy\n"
    "if importlib.util.find_spec('lanescope') is None:\n"
    "    sys.exit('lanescope: mcp needs the Python package: pip install \"lanescope[mcp]\"')\n"
    "sys.argv[0] = 'lanescope mcp'\n"
    "runpy.run_module('lanescope.mcp', run_name='__main__')\n";

// Becomes Python, so that signals and the exit status are its own. Returns an exit status after a
// failure.
int run_python(const std::vector<std::string>& folders) {
    const char* const chosen = std::getenv("LANESCOPE_PYTHON");
    const std::string python = chosen && *chosen ? chosen : "python3";
    std::vector<std::string> words = {python, "-c", kRunModule};
    words.insert(words.end(), folders.begin(), folders.end());
    std::vector<char*> argv(words.size() + 1, nullptr);
    for (std::size_t i = 0; i < words.size(); ++i) argv[i] = words[i].data();
    execvp(python.c_str(), argv.data());
    fmt::print(stderr, "lanescope: mcp needs Python: {} cannot be started: {}\n", python,
               std::strerror(errno));
    return kFailed;
}

}  // namespace

void add_mcp_command(CLI::App& app, int& status) {
    auto folders = std::make_shared<std::vector<std::string>>();
    CLI::App* command = app.add_subcommand(
        "mcp", "Let AI assistants ask about traces: an MCP server on stdin and stdout");
    command
        ->add_option("FOLDER", *folders, "Only files below these folders are read; none is written")
        ->required()
        ->check(CLI::ExistingDirectory);
    command->footer(
        "Needs the Python package: pip install \"lanescope[mcp]\". LANESCOPE_PYTHON names the "
        "Python (python3).\n\nExample:\n  lanescope mcp ~/traces");
    command->callback([folders, &status] { status = run_python(*folders); });
}

}  // namespace lanescope
