// A command line with this command alone, for its test. app/lanescope.cpp has all commands.
#include <cstdio>
#include <exception>

#include "app/commands/arguments.h"
#include "app/commands/commands.h"
#include "examples/extend/command/busiest.h"

namespace {

int run(int argc, char** argv) {
    CLI::App app("An example of a command.", "lanescope");
    app.require_subcommand(1);
    int status = 0;
    lanescope::add_busiest_command(app, status);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return lanescope::explain(app, error);
    }
    return status;
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
