// lanescope mcp: a server of the Model Context Protocol, which the Python package contains.
#include <memory>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/python_module.h"

namespace lanescope {

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
    command->callback([folders, &status] { status = run_python_module("mcp", *folders); });
}

}  // namespace lanescope
